import pytest

from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.log import Entry, Log, read_log


def entry(step):
    return Entry(step, loss=1.5, examples_per_second=10.0, learning_rate=0.1, seconds=2.0 * step)


@pytest.fixture
def path(tmp_path):
    log = Log(tmp_path / "log.jsonl", keep=0)
    for step in (20, 40, 60):
        log.add(entry(step))
    return log.path


def test_entries_are_read_back(path):
    assert read_log(path) == [entry(20), entry(40), entry(60)]


def test_a_resumed_log_drops_what_came_after_the_checkpoint(path):
    log = Log(path, keep=40)
    log.add(entry(50))
    assert log.entries == read_log(path) == [entry(20), entry(40), entry(50)]


def test_a_new_run_starts_an_empty_log(path):
    assert Log(path, keep=0).entries == read_log(path) == []


def test_a_line_cut_short_by_a_kill_is_left_out(path):
    path.write_text(path.read_text()[:-9])
    assert read_log(path) == [entry(20), entry(40)]


def test_a_log_that_cannot_be_written_is_named(path):
    log = Log(path, keep=40)
    path.unlink()
    path.mkdir()
    with pytest.raises(G2PError) as error:
        log.add(entry(60))
    assert str(error.value) == f"cannot write {path}: Is a directory"
