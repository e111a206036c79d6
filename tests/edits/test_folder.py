"""A reply applied to a folder: all files or none, and nothing of a file is lost but what the edits change."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from retouch.edits import DirectoryError, EditResult, apply_reply, apply_to_folder, read_files
from tests.edits.blocks import change, markers


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def through_the_folder(folder: Path, reply: str, *, target: str | None = None) -> list[str]:
    before = read_files(folder, reply, target=target)
    return apply_to_folder(apply_reply(reply, before, target=target), folder, before=before)


def test_changed_new_and_deleted_files_are_written_together(tmp_path: Path):
    (tmp_path / "a.py").write_text("a\n")
    (tmp_path / "gone.py").write_text("x\n")
    reply = (
        change(("a\n", "b\n"), path="a.py")
        + change(("", "n\n"), path="deep/er/new.py")
        + "### CHANGE 3: drop\nDELETE FILE: gone.py\n"
    )
    assert ["a.py", "deep/er/new.py", "gone.py"] == through_the_folder(tmp_path, reply)
    assert ["a.py", "deep/er/new.py"] == names(tmp_path)
    assert "b\n" == (tmp_path / "a.py").read_text()


def test_line_endings_invalid_bytes_and_permissions_stay(tmp_path: Path):
    place = tmp_path / "run.sh"
    place.write_bytes(b"\xef\xbb\xbfone\r\n\xff\xfe\xc3\x28two\r\nold\nlast")
    place.chmod(0o751)
    through_the_folder(tmp_path, change(("old\n", "new\n"), path="run.sh"))
    assert b"\xef\xbb\xbfone\r\n\xff\xfe\xc3\x28two\r\nnew\nlast" == place.read_bytes()
    assert 0o751 == stat.S_IMODE(place.stat().st_mode)


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path):
    (tmp_path / "other").touch()
    through_the_folder(tmp_path, change(("", "x\n"), path="new"))
    assert (tmp_path / "other").stat().st_mode == (tmp_path / "new").stat().st_mode


@pytest.mark.parametrize("inside", [True, False])
def test_symbolic_links_are_refused_wherever_they_lead(tmp_path: Path, inside: bool):
    root = tmp_path / "root"
    goal = root / "real" if inside else tmp_path / "away"
    for folder in (root, goal):
        folder.mkdir()
    (goal / "a.py").write_text("a\n")
    (root / "link").symlink_to(goal)
    result = EditResult(outcome="applied", files={"link/a.py": "b\n"})
    with pytest.raises(DirectoryError, match="symbolic link 'link'"):
        apply_to_folder(result, root)
    with pytest.raises(DirectoryError, match="symbolic link"):
        read_files(root, change(("a\n", "b\n"), path="link/a.py"))
    assert "a\n" == (goal / "a.py").read_text()


def test_a_root_that_is_a_link_itself_is_followed(tmp_path: Path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.py").write_text("a\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    through_the_folder(tmp_path / "link", change(("a\n", "b\n"), path="a.py"))
    assert "b\n" == (tmp_path / "real" / "a.py").read_text()


@pytest.mark.parametrize("name", ["../out.py", "/tmp/out.py", "a/../../out.py", ""])
def test_paths_outside_are_refused(tmp_path: Path, name: str):
    (tmp_path / "root").mkdir()
    with pytest.raises(DirectoryError, match="is not inside"):
        apply_to_folder(EditResult(outcome="applied", files={name: "x\n"}), tmp_path / "root")
    assert [] == names(tmp_path)


def test_one_file_that_cannot_be_written_leaves_all_others(tmp_path: Path):
    (tmp_path / "a.py").write_text("a\n")
    (tmp_path / "block").write_text("a file where a folder is needed\n")
    result = EditResult(outcome="applied", files={"a.py": "b\n", "block/new.py": "n\n", "c/d.py": "x\n"})
    with pytest.raises(DirectoryError, match="nothing was written"):
        apply_to_folder(result, tmp_path)
    assert "a\n" == (tmp_path / "a.py").read_text()
    assert ["a.py", "block"] == names(tmp_path)
    assert not (tmp_path / "c").exists()


def test_a_rename_that_fails_takes_back_the_ones_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(name)
    plain = Path.replace

    def full_disk(self: Path, target: Path) -> Path:
        if Path(target).name == "b.py" and self.suffix == ".new":
            raise OSError(28, "No space left on device")
        return plain(self, target)

    monkeypatch.setattr(Path, "replace", full_disk)
    result = EditResult(outcome="applied", files={"a.py": "x", "b.py": "x", "c.py": "x", "new.py": "x"})
    with pytest.raises(DirectoryError, match="No space left"):
        apply_to_folder(result, tmp_path)
    assert {"a.py": "a.py", "b.py": "b.py", "c.py": "c.py"} == {n: (tmp_path / n).read_text() for n in names(tmp_path)}


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path):
    (tmp_path / "a.py").write_text("a\n")
    reply = change(("a\n", "b\n"), path="a.py")
    before = read_files(tmp_path, reply)
    (tmp_path / "a.py").write_text("a\nsomebody else\n")
    with pytest.raises(DirectoryError, match="has changed since"):
        apply_to_folder(apply_reply(reply, before), tmp_path, before=before)
    assert "a\nsomebody else\n" == (tmp_path / "a.py").read_text()


def test_a_refused_result_and_a_missing_file_to_delete_write_nothing(tmp_path: Path):
    with pytest.raises(DirectoryError, match="the result is a refusal"):
        apply_to_folder(EditResult(outcome="refused", error="not_found"), tmp_path)
    with pytest.raises(DirectoryError, match="cannot be deleted"):
        apply_to_folder(EditResult(outcome="applied", files={"a.py": None}), tmp_path)


def test_only_files_that_a_reply_speaks_of_are_read(tmp_path: Path):
    for name in ("a.py", "b.py", "c.py", "t.py"):
        (tmp_path / name).write_text("x\n")
    reply = change(("x\n", "y\n"), path="a.py")
    assert ["a.py", "t.py"] == sorted(read_files(tmp_path, reply, target="t.py"))
    assert ["b.py"] == sorted(read_files(tmp_path, markers("x\n", "y\n", path="In `b.py` now:")))
    assert {} == read_files(tmp_path, "no blocks at all")


def test_a_folder_where_a_file_should_be_is_refused(tmp_path: Path):
    (tmp_path / "a.py").mkdir()
    with pytest.raises(DirectoryError, match="not a regular file"):
        apply_to_folder(EditResult(outcome="applied", files={"a.py": "x"}), tmp_path)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path):
    (tmp_path / "a.py").write_text("x\n")
    (tmp_path / "a.py").chmod(0)
    with pytest.raises(DirectoryError, match=r"'a\.py' cannot be read"):
        read_files(tmp_path, change(("x\n", "y\n"), path="a.py"))
