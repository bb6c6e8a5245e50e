def test_the_demo_trains_scores_and_shows_a_dozen_words(tmp_path, dictionary_file, command):
    for _ in range(2):  # the second replaces the first
        status, out, error = command(
            "demo", "--dictionary", dictionary_file, "--out", tmp_path / "demo", "--seconds", 1
        )
        assert status == 0
        blocks = out.split("\n\n")
        begin, scored = blocks[0].splitlines()[0], blocks[0].splitlines()[-1]
        assert begin.startswith("CMUdict: ")
        assert scored.startswith("unseen words: PER ")
        assert scored.endswith(" words (all)")
        assert len(blocks[1].splitlines()) == 1 + 12
        assert blocks[1].split()[:3] == ["word", "predicted", "dictionary"]
        assert [line.split()[0] for line in blocks[2].splitlines()] == [
            "checkpoint",
            "log",
            "loss",
            "attention",
        ]
        assert "words/s" in error
        assert "left" in error
    assert (tmp_path / "demo" / "checkpoint.safetensors").exists()
