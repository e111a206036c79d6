"""A run that its cost limit stopped is not verified, by any command."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.conftest import point, retouch, serving, spec, work_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

    from retouch.testing import ModelServer

    Retouch = Callable[..., Result]

__all__ = ["point", "retouch", "spec", "work_folder"]  # fixtures


def test_a_run_that_its_cost_limit_stopped_is_exhausted_until_it_is_finished(
    retouch: Retouch, spec: str, point: Callable[[ModelServer], None], work_folder: Path
) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--concurrency", "1", "--json")
    run = str(work_folder / "output" / "GET_pets")
    with serving() as server:
        point(server)
        stopped = retouch(*words, "--model", "anthropic:claude-haiku-4-5", "--max-cost", "0.043")
        found = json.loads(stopped.stdout)
        assert (3, "exhausted") == (stopped.exit_code, found["status"]), stopped.output
        assert 0 < found["calls"] < 4
        assert [] == [one for one in found["notes"] if "offline" in one]
        seen = [json.loads(retouch(verb, run, "--json").stdout)["status"] for verb in ("show", "validate")]
        assert ["incomplete", "incomplete"] == seen
        done = retouch(*words, "--model", "anthropic:claude-haiku-4-5", "--max-cost", "5")
        assert (0, 4) == (done.exit_code, len(server.calls)), done.output


def test_resume_keeps_the_limit_of_the_run_until_another_one_is_given(
    retouch: Retouch, spec: str, point: Callable[[ModelServer], None], work_folder: Path
) -> None:
    words = ("generate", "csharp", spec, "GET /pets", "--compiler", "none", "--concurrency", "1", "-q")
    run = str(work_folder / "output" / "GET_pets")
    with serving() as server:
        point(server)
        retouch(*words, "--model", "anthropic:claude-haiku-4-5", "--max-cost", "0.043")
        calls = len(server.calls)
        assert 0 < calls < 4
        for _ in range(2):
            stopped = retouch("resume", run, "-q")
            assert (3, calls) == (stopped.exit_code, len(server.calls)), stopped.output
            assert "of 0.0430 dollars" in stopped.output
        more = retouch("resume", run, "-q", "--max-cost-more", "0.043")
        assert (3, True) == (more.exit_code, calls < len(server.calls) < 4), more.output
        assert 3 == retouch("resume", run, "-q").exit_code
        done = retouch("resume", run, "-q", "--max-cost", "5")
        assert (0, 4) == (done.exit_code, len(server.calls)), done.output
