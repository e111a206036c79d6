"""Every attack of the table against every engine of this machine, looked at from outside."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from retouch.sandbox.bubble import bubble_program
from tests.sandbox.victim import BOXES, SYSTEM_PYTHON, attacks

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the looks from outside read Linux's /proc")

PROJECT = Path(__file__).resolve().parents[2]
GROUPS = sorted({attack["group"] for attack in attacks()})
WALLS = ["kernel", "network", "parent", "process", "read", "signal", "write"]  # where another wall or user matters
NOBODY = 65534


@cache
def reason_against(engine: str) -> str:
    return BOXES[engine]().reason


def let_loose(
    engine: str, folder: Path, groups: Sequence[str] = GROUPS, user: int | None = None, project: Path = PROJECT
) -> list[Any]:
    """Return the reports of a victim, one per attack; `project` is where that user can read the tests."""
    folder.chmod(0o777)
    command = [sys.executable, "-m", "tests.sandbox.victim", engine, str(folder), ",".join(groups)]
    command += [] if user is None else [str(user)]
    environment = {**os.environ, "CANARY": f"canary-{secrets.token_hex(8)}"}
    if project != PROJECT:
        environment["PYTHONPATH"] = str(project)
    ended = subprocess.run(
        command, env=environment, cwd=project, capture_output=True, text=True, start_new_session=True, check=False
    )
    assert 0 == ended.returncode, ended.stderr[-2000:]
    return [json.loads(line) for line in ended.stdout.splitlines()]


def breaches(reports: Sequence[Any]) -> dict[str, list[str]]:
    return {report["name"]: report["breaches"] for report in reports if report["breaches"]}


def wanted(groups: Sequence[str]) -> set[str]:
    return {attack["name"] for attack in attacks() if attack["group"] in groups}


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["monty-bare", "cpython-bare"])
def test_no_attack_gets_out_of_an_engine_that_stands_alone(engine: str, tmp_path: Path):
    if reason := reason_against(engine):
        pytest.skip(f"{engine} cannot be used here: {reason}")
    reports = let_loose(engine, tmp_path)
    assert {} == breaches(reports)
    assert wanted(GROUPS) == {report["name"] for report in reports}


@pytest.mark.parametrize("engine", ["monty", "cpython"])
def test_no_attack_gets_out_of_an_engine_with_a_wall_around_it(engine: str, tmp_path: Path):
    if bubble_program() is None:
        pytest.skip("bubblewrap is not installed")
    if reason := reason_against(engine):
        pytest.skip(f"{engine} cannot be used here: {reason}")
    reports = let_loose(engine, tmp_path, WALLS)
    assert {} == breaches(reports)
    assert wanted(WALLS) == {report["name"] for report in reports}


@pytest.mark.slow
def test_no_attack_gets_out_when_a_common_user_starts_the_sandbox(readable_copy: Path):
    if os.getuid() != 0 or not os.access(SYSTEM_PYTHON, os.X_OK):
        pytest.skip(f"becoming another user takes root and {SYSTEM_PYTHON}, which everybody can start")
    if reason := reason_against("cpython-system"):
        pytest.skip(f"{SYSTEM_PYTHON} cannot be locked here: {reason}")
    with TemporaryDirectory() as folder:  # tmp_path lies where that user may not look
        reports = let_loose(
            "cpython-system", Path(folder), ["kernel", "parent", "process", "signal"], NOBODY, readable_copy
        )
    assert {} == breaches(reports)
    assert len(reports) > 30


@pytest.mark.slow
def test_the_same_attacks_get_out_of_plain_python_and_are_seen(tmp_path: Path):
    reports = let_loose("plain", tmp_path)
    held = [report["name"] for report in reports if not report["breaches"]]
    assert len(held) < len(reports) / 10, held
    seen = {what for found in breaches(reports).values() for what in found}
    assert SEEN <= seen


SEEN = {
    "a message arrived",
    "a secret came out",
    "files changed",
    "it says so",
    "it took too much memory",
    "more came back than may",
    "processes were left",
    "the parent got a signal",
    "unprintable text came out",
}


def test_there_are_attacks_of_every_kind_and_none_is_there_twice():
    names = [attack["name"] for attack in attacks()]
    assert len(names) == len(set(names))
    assert len(names) > 120


def test_the_page_for_users_counts_the_attacks():
    page = (PROJECT / "docs" / "reference" / "sandbox.md").read_text(encoding="utf-8")
    assert f"`tests/sandbox/attacks.toml` holds {len(attacks())} attacks" in page
