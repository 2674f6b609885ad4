"""What is promised of every file that is written."""

import json
import os
import socket
import stat
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from unittest import mock

import pytest
from cases import cases, error_line

from kproof.errors import DataError, InvalidArgument
from kproof.outputs import (
    Access,
    Folder,
    append_line,
    check_outputs,
    journal,
    locks,
    replace_file,
    together,
    write_bytes,
    write_folder,
    write_new,
    write_text,
)

posix = pytest.mark.skipif(os.name == "nt", reason="of POSIX")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def put(paths: Iterable[Path | str], text: str = "new") -> None:
    """Write the same text to several files together."""
    with together():
        for path in paths:
            write_text(path, text)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text("data")
    return path


def spellings(path: Path) -> list[Path | str]:
    """One file under several names."""
    soft, hard = path.with_name("soft"), path.with_name("hard")
    soft.symlink_to(path.name)
    os.link(path, hard)
    (path.parent / "inner").mkdir()
    (path.parent / "around").symlink_to(path.parent, target_is_directory=True)
    return [
        path,
        os.path.relpath(path),
        f"{path.parent}/inner/../{path.name}",
        f"{path.parent}/./{path.name}",
        path.parent / "around" / path.name,
        soft,
        hard,
    ]


@posix
def test_no_output_is_an_input_whatever_it_is_called(data):
    for one in spellings(data):
        with pytest.raises(InvalidArgument, match=r"^output = .*another file than those that are"):
            check_outputs({"output": one}, reads=[None, "table-1a", data])
    assert data.read_text() == "data"


@posix
def test_no_two_outputs_are_one_file(data):
    for one in spellings(data)[1:]:
        with pytest.raises(InvalidArgument, match=r"^html = .*another file than the png"):
            check_outputs({"png": data, "html": one})
    new = data.parent / "new"
    for one in (
        new,
        f"{new.parent}/inner/../new",
        new.parent / "around" / "new",
        f"{new.parent}/NEW",
    ):
        with pytest.raises(InvalidArgument, match="another file than the png"):
            check_outputs({"png": new, "html": one})
    with pytest.raises(InvalidArgument, match="another file than the output"):
        check_outputs({"output": new}, folders={"figures": Folder(new.parent, ("one", "new"))})


@posix
def test_what_is_written_together_is_held_to_it_again(data):
    """A file of a folder may have a name that nobody knew beforehand."""
    ready = check_outputs({}, folders={"out": Folder(data.parent)}, reads=[data])
    with pytest.raises(InvalidArgument, match="another file"), ready.together():
        put((data.parent / "other", data))
    with pytest.raises(InvalidArgument, match="another file than"):
        put((data.parent / "other", f"{data.parent}/./other"))
    assert (names(data.parent), data.read_text()) == (["data.csv"], "data")


@posix
@cases(
    ("", "'': cannot be written: need the name of a file"),
    ("no/out", "no/out: cannot be written: there is no folder no"),
    ("file/out", "is no folder"),
    ("folder", "folder: cannot be written: is a folder"),
    ("new/", "new/: cannot be written: is a folder"),
    ("to-folder", "is a folder"),
    ("fifo", "fifo: cannot be written: is a FIFO, not a file"),
    ("to-fifo", "is a FIFO, not a file"),
    ("socket", "is a socket, not a file"),
    ("/dev/zero", "/dev/zero: cannot be written: is a device, not a file"),
    ("loop", "Too many levels of symbolic links"),
    ("x" * 300, "File name too long"),
    ("a\0b", "embedded null"),
)
def test_a_destination_that_is_no_file_is_refused_before_work_starts(name, says, here):
    Path("folder").mkdir()
    Path("file").write_text("")
    os.mkfifo("fifo")
    Path("to-fifo").symlink_to("fifo")
    Path("to-folder").symlink_to("folder")
    Path("loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
    before = names(here)
    line = error_line(DataError, check_outputs, {"output": name})
    assert says in line
    assert line.count("cannot be written") == 1
    with pytest.raises(DataError):
        write_text(name, "x")
    assert names(here) == before
    assert stat.S_ISFIFO(os.stat("fifo").st_mode)


def test_what_may_not_be_written_is_refused_before_work_starts(data, monkeypatch):
    for refused in (str(data), str(data.parent)):
        monkeypatch.setattr(os, "access", lambda path, _, refused=refused: path != refused)
        assert "Permission denied" in error_line(DataError, check_outputs, {"output": data})
        assert "Permission denied" in error_line(DataError, write_text, data, "x")
    with pytest.raises(DataError, match=r"new: cannot be made: .*Permission denied"):
        check_outputs({}, folders={"out": Folder(data.parent / "new")})


def test_the_null_device_is_written_to_and_stays(tmp_path):
    with check_outputs({"output": os.devnull, "html": os.devnull}, reads=[os.devnull]).together():
        write_text(os.devnull, "x")
        write_bytes(os.devnull, b"x")
        append_line(os.devnull, b"x")
    assert os.path.exists(os.devnull)
    assert not os.path.isfile(os.devnull)


def test_folders_are_checked_and_made_and_go_if_the_rest_fails(data):
    home = data.parent
    for path in (data, data / "below"):
        with pytest.raises(DataError, match=r"cannot be made: .* is no folder"):
            check_outputs({}, folders={"out": Folder(path, ("a",))})
        assert "cannot be made" in error_line(DataError, write_folder, path, {"a": ""})
    new = home / "one" / "two"
    check_outputs({}, folders={"out": Folder(new, ("a",)), "none": Folder(None)})
    assert names(home) == ["data.csv"]
    with pytest.raises(DataError, match="is a folder"):
        write_folder(new, {"a": "text", "b/c": b"bytes", "b": b""})
    assert names(home) == ["data.csv"]
    assert write_folder(new, {"a": "text", "b/c": b"bytes"}) == (new / "a", new / "b" / "c")
    assert ((new / "a").read_text(), (new / "b/c").read_bytes()) == ("text", b"bytes")


@posix
def test_permissions_stay_and_new_files_have_those_of_the_umask(tmp_path):
    old, new, key, open_key = (tmp_path / name for name in ("old", "new", "key", "open-key"))
    for path, bits in ((old, 0o600), (open_key, 0o666)):
        path.write_text("")
        path.chmod(bits)
    before = os.umask(0o027)
    try:
        with together():
            write_text(old, "x")
            write_text(new, "x")
            for path in (key, open_key):
                with replace_file(path, access=Access.OWNER) as file:
                    parts = [tmp_path / name for name in names(tmp_path) if name.endswith("part")]
                    assert mode(parts[-1]) == 0o600
                    file.write("x")
    finally:
        os.umask(before)
    assert list(map(mode, (old, new, key, open_key))) == [0o600, 0o640, 0o600, 0o600]


@posix
def test_rights_of_a_group_go_with_the_group(data):
    data.chmod(0o664)
    there = os.stat(data)
    other = os.stat_result([*there[:4], there.st_uid, there.st_gid + 1, *there[6:]])
    real = os.stat
    with (
        mock.patch(
            "os.stat", lambda path, **how: other if path == str(data) else real(path, **how)
        ),
        mock.patch("os.chown", side_effect=PermissionError),
    ):
        from kproof.outputs import transaction

        part = data.with_name("part")
        part.write_text("")
        transaction._dress(str(part), str(data), Access.AS_USUAL)
    assert mode(part) == 0o604


@posix
def test_links_stay(data):
    home = data.parent
    soft, dangling, hard = home / "soft", home / "dangling", home / "hard"
    soft.symlink_to("data.csv")
    dangling.symlink_to("made")
    write_text(soft, "through the link")
    write_text(dangling, "new")
    assert (soft.is_symlink(), data.read_text()) == (True, "through the link")
    assert (dangling.is_symlink(), (home / "made").read_text()) == (True, "new")
    os.link(data, hard)
    write_text(hard, "one name of two")
    assert (hard.read_text(), data.read_text()) == ("one name of two", "through the link")


def test_files_are_on_the_disk_before_the_first_takes_its_place(tmp_path):
    done: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        sync(handle)

    def placed(source: str, target: str) -> None:
        done.append(os.path.basename(target).rpartition(".")[2])
        replace(source, target)

    with mock.patch("os.fsync", synced), mock.patch("os.replace", placed), together():
        write_text(tmp_path / "a", "1")
        write_text(tmp_path / "b", "2")
    assert done == ["file", "file", "file", "forward", "folder", "a", "b", "folder"]


def test_a_run_that_is_alive_is_left_alone(tmp_path):
    with together():
        write_text(tmp_path / "a", "1")
        staged = names(tmp_path)
        other = threading.Thread(target=write_text, args=(tmp_path / "b", "2"))
        other.start()
        other.join()
        assert names(tmp_path) == sorted([*staged, "b"])
    assert names(tmp_path) == ["a", "b"]


def test_only_left_overs_of_ours_are_removed(tmp_path):
    dead, theirs = "0123456789abcdef", [".kproof-x.part", ".kproof-0123.lock", ".a.part", "kproof"]
    ours = [f".kproof-{dead}.{kind}" for kind in ("lock", "0.part", "1.old", "draft")]
    for name in (*ours, *theirs):
        (tmp_path / name).write_text("")
    write_text(tmp_path / "new", "")
    assert names(tmp_path) == sorted([*theirs, "new"])


def broken_off(home: Path) -> Path:
    """Leave a set of two files behind of which one is in its place; return the journal."""
    (home / "a").write_text("old")
    with (
        mock.patch.object(journal.Journal, "carry_out", side_effect=OSError),
        mock.patch.object(journal.Journal, "turn", side_effect=OSError),
        pytest.raises(DataError),
    ):
        put((home / "a", home / "b"))
    (left,) = home.glob(".kproof-*.forward")
    told = journal.Journal.read(str(home), left.name.split(".")[1].removeprefix("kproof-"))
    assert told is not None
    told.moves[0].forward(told.run)
    assert (home / "a").read_text() == "new"
    assert not (home / "b").exists()
    return left


def test_the_next_run_finishes_and_leaves_newer_files_alone(tmp_path):
    broken_off(tmp_path)
    check_outputs({"output": tmp_path / "other"})
    assert names(tmp_path) == ["a", "b"]
    (tmp_path / "b").unlink()
    broken_off(tmp_path)
    (tmp_path / "b").write_text("somebody's")
    check_outputs({"output": tmp_path / "other"})
    assert {name: (tmp_path / name).read_text() for name in names(tmp_path)} == {
        "a": "new",
        "b": "somebody's",
    }


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "moves": [{"folder": "/"}]}'])
def test_a_journal_that_is_none_is_told_and_nothing_is_touched(text, tmp_path):
    broken_off(tmp_path).write_text(text)
    before = names(tmp_path)
    for _ in range(2):
        with pytest.raises(DataError, match="broken off cannot be put in their places"):
            write_text(tmp_path / "c", "")
    assert names(tmp_path) == before


@posix
def test_what_others_left_is_not_trusted(tmp_path, monkeypatch):
    left = broken_off(tmp_path)
    victim = tmp_path / "victim"
    told = json.loads(left.read_text())
    told["moves"][1]["name"] = victim.name
    left.write_text(json.dumps(told))
    monkeypatch.setattr(locks, "own", lambda _: False)
    write_text(tmp_path / "c", "")
    assert left.exists()
    assert not victim.exists()


def test_files_are_replaced_where_there_are_no_links(tmp_path, monkeypatch):
    both = tmp_path / "a", tmp_path / "b"
    with mock.patch("os.link", side_effect=PermissionError):
        for text in ("1", "2"):
            put(both, text)
            assert [path.read_text() for path in both] == [text, text]
        failing = mock.Mock(side_effect=[OSError(5, "I/O"), None])
        monkeypatch.setattr(journal.Journal, "sync", failing)
        with pytest.raises(DataError, match=r"a, .*b: cannot be written: I/O"):
            put(both)
    assert (names(tmp_path), (tmp_path / "a").read_text()) == (["a", "b"], "2")


def test_a_destination_that_changed_meanwhile_is_left_alone(tmp_path):
    def files() -> Iterator[Path]:
        yield tmp_path / "a"
        yield tmp_path / "b"
        (tmp_path / "b").mkdir()

    assert "is a folder" in error_line(DataError, put, files())
    assert names(tmp_path) == ["b"]


def test_a_log_grows_by_whole_lines(tmp_path):
    log = tmp_path / "new" / "log"
    append_line(log, b"one")
    with open(log, "ab") as file:
        file.write(b"half a li")
    append_line(log, b"two")
    assert log.read_bytes() == b"one\ntwo\n"
    assert "is a folder" in error_line(DataError, append_line, tmp_path, b"")


def test_a_new_file_is_never_an_old_one(tmp_path):
    write_new(tmp_path / "a", "1")
    assert "is there already" in error_line(DataError, write_new, tmp_path / "a", "2")
    assert (tmp_path / "a").read_text() == "1"
