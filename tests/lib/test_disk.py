"""Files that a user names: complete or unchanged, and devices, pipes and links stay what they are."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch._lib.disk import replacing, write_output

if TYPE_CHECKING:
    from collections.abc import Callable


def by_replacing(place: Path, text: str) -> None:
    with replacing(place) as file:
        file.write_text(text)


WAYS = pytest.mark.parametrize("write", [write_output, by_replacing])


@WAYS
def test_a_pipe_gets_the_text_and_stays_a_pipe(write: Callable[[Path, str], None], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    write(pipe, "all of it\n")
    reader.join(60)
    assert ["all of it\n"] == read
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@WAYS
def test_a_link_is_followed_and_stays_a_link(write: Callable[[Path, str], None], tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "link").symlink_to("below/file")
    for text in ("first", "second"):
        write(tmp_path / "link", text)
        assert (True, text) == ((tmp_path / "link").is_symlink(), (tmp_path / "below" / "file").read_text())


@WAYS
def test_standard_output_is_written_by_its_name(write: Callable[[Path, str], None], tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+") as file:
        write(Path(f"/proc/self/fd/{file.fileno()}"), "text")
        assert "text" == file.read()


@WAYS
def test_what_cannot_be_written_leaves_the_file_as_it_was(write: Callable[[Path, str], None], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before")
    with pytest.raises(UnicodeEncodeError):
        write(tmp_path / "file", "\ud800")
    assert ["file"] == [one.name for one in tmp_path.iterdir()]
    assert "before" == (tmp_path / "file").read_text()
