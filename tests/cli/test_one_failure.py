"""A failure that all requests share is one line, however many pages it keeps from being answered."""

from __future__ import annotations

import pytest

from retouch.cli.output import print_issues
from retouch.engine.judge import unanswered
from retouch.engine.types import Attempt, Issue, Message, Prompt, Request


def failed(unit: str, page: int, error: str) -> Issue:
    """Return the engine's issue of a page whose request failed."""
    prompt = Prompt(unit=unit, page=page, system="s", user="u")
    request = Request(prompt=prompt, system="s", messages=(Message(role="user", text="u"),), max_output_tokens=9)
    attempt = Attempt(seq=1, unit=unit, page=page, why="answer", request=request, model="m", at="", error=error)
    return unanswered(unit, page, attempt)


@pytest.mark.parametrize("by_unit", [False, True])
def test_pages_that_one_refused_connection_left_unanswered_are_one_issue(
    capsys: pytest.CaptureFixture[str], *, by_unit: bool
):
    issues = [failed(unit, page, "connection refused") for unit in ("Pet", "Owner", "Shop") for page in (1, 2)]
    print_issues(issues, by_unit=by_unit)
    first, second = capsys.readouterr().out.splitlines()
    assert "error [UNANSWERED] 6 pages of 3 units got no reply: connection refused" == first
    assert "next: Run 'retouch generate' again; what arrived is kept." == second.strip()


def test_failures_that_differ_are_told_apart(capsys: pytest.CaptureFixture[str]):
    print_issues([failed("Pet", 1, "refused"), failed("Pet", 2, "refused"), failed("Owner", 1, "silent")])
    told = [line for line in capsys.readouterr().out.splitlines() if "error" in line]
    assert ["error [UNANSWERED] Pet: 2 pages got no reply: refused", "Owner, page 1"] == [told[0], told[1][19:32]]
