"""Copies of workspaces that nobody uses are removed; those in use never are."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from retouch._lib.process.places import held_place
from retouch._lib.process.pruning import DAY_S, KeptCopies, locked, prune

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ALWAYS = KeptCopies(every_s=0)
HOLD = """
import sys
from pathlib import Path
from retouch._lib.process.places import held_place
with held_place(Path(sys.argv[1]), Path(sys.argv[2])) as place:
    (place.copy / "mine").write_text("x")
    print(place.root.name, flush=True)
    sys.stdin.read()
    assert (place.copy / "mine").exists()
"""


def used(workspace: Path, above: Path, *, days_ago: float = 0, size: int = 0) -> str:
    """Make a copy that was last used some days ago; return its name."""
    workspace.mkdir()
    with held_place(workspace, above) as place:
        (place.copy / "product").write_bytes(os.urandom(size))
        name = place.root.name
    then = time.time() - days_ago * DAY_S
    os.utime(above / f"{name}.lock", (then, then))
    return name


def test_a_copy_that_was_not_used_for_a_month_is_removed(tmp_path: Path) -> None:
    old, new = used(tmp_path / "old", tmp_path / "c", days_ago=31), used(tmp_path / "new", tmp_path / "c", days_ago=29)
    assert [old] == prune(tmp_path / "c", time.time(), ALWAYS)
    assert (False, True) == ((tmp_path / "c" / old).exists(), (tmp_path / "c" / new).exists())


def test_the_copies_used_longest_ago_go_first_if_all_are_too_large(tmp_path: Path) -> None:
    names = [used(tmp_path / f"w{days}", tmp_path / "c", days_ago=days, size=500_000) for days in (3, 1, 2)]
    assert [names[0]] == prune(tmp_path / "c", time.time(), KeptCopies(every_s=0, max_bytes=1_200_000))
    assert [names[2], names[1]] == prune(tmp_path / "c", time.time(), KeptCopies(every_s=0, max_bytes=0))


def test_a_copy_that_another_process_holds_is_never_removed(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    command = [sys.executable, "-c", HOLD, str(tmp_path / "w"), str(tmp_path / "c")]
    holders: list[subprocess.Popen[str]] = []
    try:
        for _ in range(2):  # the second one gets a temporary copy
            holders.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))
            assert holders[-1].stdout is not None
            holders[-1].stdout.readline()
        in_a_year = time.time() + 365 * DAY_S
        assert [] == prune(tmp_path / "c", in_a_year, ALWAYS)
    finally:
        ended = [holder.communicate("") and holder.returncode for holder in holders]
    assert [0, 0] == ended
    assert 1 == len(prune(tmp_path / "c", in_a_year, ALWAYS))


def test_a_temporary_copy_of_a_killed_process_is_removed_and_a_fresh_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "c" / "w-123-abandoned").mkdir(parents=True)
    assert [] == prune(tmp_path / "c", time.time(), ALWAYS)
    assert ["w-123-abandoned"] == prune(tmp_path / "c", time.time() + 2 * 3_600, ALWAYS)


def test_what_a_killed_removal_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / "c" / "pruned-x" / "copy").mkdir(parents=True)
    prune(tmp_path / "c", time.time(), ALWAYS)
    assert [".pruned"] == [path.name for path in (tmp_path / "c").iterdir()]


def test_it_is_looked_at_once_a_day(tmp_path: Path) -> None:
    old = used(tmp_path / "old", tmp_path / "c", days_ago=31)
    assert [] == prune(tmp_path / "c", time.time())  # using the copy has looked already
    assert [old] == prune(tmp_path / "c", time.time() + 1.1 * DAY_S)


def test_using_a_copy_prunes_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    old = used(tmp_path / "old", tmp_path / "c", days_ago=31)
    (tmp_path / "c" / ".pruned").unlink()
    used(tmp_path / "new", tmp_path / "c")
    assert not (tmp_path / "c" / old).exists()


def test_a_lock_is_free_again_when_its_block_ends(tmp_path: Path) -> None:
    with locked(tmp_path) as first, locked(tmp_path) as second:
        assert (True, False) == (first, second)
    with locked(tmp_path) as third:
        assert third
