"""A large answer with little wrong is mended by FIND/REPLACE blocks; one that does not fit climbs to a correction."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.engine.directory import open_run
from retouch.engine.options import RunOptions
from retouch.engine.repair import PATCH_FROM_CHARS, Patch, RepairContext, patch_pays
from retouch.engine.types import Issue, Prompt, Tier
from retouch.engine.verbs import generate
from retouch.errors import Invalid
from retouch.testing import scripted
from tests.engine.glossary import RECIPE, Glossary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from retouch.engine.overview import RunResult
    from retouch.engine.types import Request
    from retouch.testing import Scripted

WORDS = tuple(f"word{number:03}" for number in range(80))
SOURCE = Glossary(units={"long": WORDS}, page_size=100)
RIGHT = "\n".join(f"{word}={word.upper()}" for word in WORDS)
WRONG = RIGHT.replace("word040=WORD040", "word040")
PATCH = "CHANGE 1: give it a value\nFIND:\n```\nword040\n```\nREPLACE WITH:\n```\nword040=WORD040\n```\n"
MISFIT = PATCH.replace("FIND:\n```\nword040\n", "FIND:\n```\nword999\n")


def worked(folder: Path, answers: Sequence[str]) -> tuple[RunResult, Scripted]:
    model = scripted(answers)
    return asyncio.run(generate(RECIPE, SOURCE, folder / "run", model, RunOptions())), model


def whys(folder: Path) -> list[str]:
    return [attempt.why for attempt in open_run(folder / "run").history.attempts.values()]


def test_a_patch_is_asked_for_first_and_applied(tmp_path: Path) -> None:
    result, model = worked(tmp_path, [WRONG, PATCH])
    assert ("verified", 2, ["answer", "patch"]) == (result.status, result.calls, whys(tmp_path))
    assert RIGHT in (tmp_path / "run" / "glossary.txt").read_text(encoding="utf-8")
    assert ["user", "assistant", "user"] == [message.role for message in model.requests[1].messages]


def test_the_patch_request_extends_the_first_one_byte_for_byte(tmp_path: Path) -> None:
    _, model = worked(tmp_path, [WRONG, PATCH])
    first, second = model.requests
    assert (first.system, *first.messages) == (second.system, *second.messages[: len(first.messages)])
    assert WRONG == second.messages[1].text


def test_a_patch_that_does_not_apply_climbs_to_a_correction(tmp_path: Path) -> None:
    result, model = worked(tmp_path, [WRONG, MISFIT, RIGHT])
    assert ("verified", ["answer", "patch", "correction"]) == (result.status, whys(tmp_path))
    assert "[BROKEN_LINE]" in model.requests[2].messages[0].text


def test_a_whole_page_in_place_of_blocks_is_taken_for_what_it_is(tmp_path: Path) -> None:
    result, _ = worked(tmp_path, [WRONG, RIGHT])
    assert ("verified", 2) == (result.status, result.calls)


def test_a_patch_that_makes_it_worse_is_not_taken(tmp_path: Path) -> None:
    worse = PATCH.replace("word040=WORD040", "word040\nword040 again")
    result, _ = worked(tmp_path, [WRONG, worse, RIGHT])
    assert "verified" == result.status


def test_a_short_answer_or_one_with_much_wrong_is_asked_for_again_whole() -> None:
    prompt = Prompt(unit="u", system="s", user="u")
    issue = Issue(code="C", message="m", tier=Tier.SCHEMA, unit="u", page=1)
    long = RepairContext(prompt=prompt, answer="x" * PATCH_FROM_CHARS, issues=[issue])
    assert patch_pays(long)
    assert not patch_pays(replace(long, answer="x" * (PATCH_FROM_CHARS - 1)))
    assert not patch_pays(replace(long, issues=[issue] * 4))
    assert not patch_pays(replace(long, issues=[]))
    assert not patch_pays(replace(long, answer=None))


def test_a_patch_of_nothing_is_a_correction() -> None:
    prompt = Prompt(unit="u", system="s", user="verified")
    _, messages = Patch().conversation(RepairContext(prompt=prompt, answer=None))
    assert ["verified"] == [message.text for message in messages]
    assert "all of it" == Patch().fold(None, "all of it")


def test_a_patch_that_does_not_fit_says_where_it_nearly_did() -> None:
    with pytest.raises(Invalid, match="FIND was not found") as caught:
        Patch().fold(WRONG, MISFIT)
    assert "PATCH_REFUSED" == caught.value.code


def test_a_recipes_own_follow_up_is_never_replaced_by_a_patch(tmp_path: Path) -> None:
    from retouch.engine.repair import FollowUp

    def follow_up(*_: Any) -> FollowUp:
        return FollowUp()

    def script(request: Request) -> str:
        return WRONG if len(request.messages) == 1 and "CORRECTION" not in request.messages[0].text else RIGHT

    recipe = replace(RECIPE, repair=follow_up)
    asyncio.run(generate(recipe, SOURCE, tmp_path / "run", scripted(script), RunOptions()))
    assert ["answer", "followup"] == whys(tmp_path)
