"""Places that cannot be written, disks that are full, readers that go away."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.cli.conftest import RetouchProcess

RETOUCH = [sys.executable, "-m", "retouch"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("needs a small file system, which may not be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("which", [("GET /pets",), ("--all",)])
def test_a_full_disk_is_a_sentence_and_the_run_goes_on_when_there_is_space(
    which: tuple[str, ...], small_disk: Path, retouch_process: RetouchProcess, spec: str
) -> None:
    (small_disk / "ballast").write_bytes(b"x" * 40_000)
    words = ("generate", "csharp", spec, *which, "-o", str(small_disk / "run"), "--compiler", "none")
    full = retouch_process(*words)
    assert 2 == full.returncode
    assert "Free some space" in full.stderr
    assert "Traceback" not in full.stderr
    assert "unexpected" not in full.stderr
    (small_disk / "ballast").unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert 0 == retouch_process(*words).returncode


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/dev/null/run", "/proc/run", "a-file", "a-file/run", "x" * 300])
@pytest.mark.parametrize("which", [("GET /pets",), ("--all",)])
def test_a_place_that_cannot_be_written_is_2_with_a_next_step(
    place: str, which: tuple[str, ...], retouch_process: RetouchProcess, spec: str, tmp_path: Path
) -> None:
    (tmp_path / "a-file").write_text("")
    done = retouch_process("generate", "csharp", spec, *which, "-o", place, "--compiler", "none")
    assert 2 == done.returncode
    assert "next: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "unexpected" not in done.stderr


def test_a_reader_that_goes_away_gives_no_traceback(spec: str) -> None:
    line = f"{' '.join(RETOUCH)} endpoints {spec} --json | true"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert "" == done.stderr
