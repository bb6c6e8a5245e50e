import pytest

from tests.g2p.faults import fill_the_disk
from transformer_named.g2p.errors import G2PError
from transformer_named.g2p.files import make_folder, write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "file"
    for content in (b"old", b"new"):
        write_whole(path, content)
        assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_earlier_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_whole(path, b"old")
    fill_the_disk(monkeypatch)
    with pytest.raises(G2PError) as error:
        write_whole(path, b"new")
    assert str(error.value) == (
        f"cannot write {path}: No space left on device; the earlier one is intact"
    )
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_no_part_of_a_first_file(tmp_path, monkeypatch):
    fill_the_disk(monkeypatch)
    with pytest.raises(G2PError) as error:
        write_whole(tmp_path / "file", b"new")
    assert str(error.value) == f"cannot write {tmp_path / 'file'}: No space left on device"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(G2PError) as error:
        make_folder(tmp_path / "file" / "run")
    assert str(error.value) == (
        f"cannot make the folder {tmp_path / 'file' / 'run'}: Not a directory"
    )
