"""An exact sentence is enforced only by rules that say exactly what it says, whoever wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy.making.runs import clauses_of_run
from tests.recipes.policy.making.scenes import Json, Scene, item, items, job, rule, rules

if TYPE_CHECKING:
    from pathlib import Path

EXACT = 'Never use the tool delete of notes if path is like "*.md".'
READING = 'Allow using the tool read of notes if path is like "/home/ada/notes/*".'
TEXT = f"{READING}\n{EXACT}\n"


def about(*found: Json, tools: tuple[str, ...]) -> dict[str, Any]:
    return {"tool": list(tools), "where": list(found)}


READS = rule("read-notes", "allow", READING, **about({"arg": "path", "like": ["/home/ada/notes/*"]}, tools=("read",)))
NEVER = rule("keep", "deny", EXACT, **about({"arg": "path", "like": ["*.md"]}, tools=("delete",)))
OTHER = rule("keep", "deny", EXACT, **about({"arg": "path", "like": ["*.txt"]}, tools=("delete",)))
WIDER = rule("read-notes", "allow", READING, **about({"arg": "path", "like": ["/home/ada/*"]}, tools=("read",)))
MORE = rule("more", "allow", READING, **about({"arg": "path", "like": ["/home/ada/notes/*"]}, tools=("write",)))
SHOWN = (
    item("read", "/home/ada/notes/a", "allow"),
    item("read", "/etc/passwd", "deny"),
    item("delete", "/home/ada/notes/a.md", "deny"),
    item("write", "/etc/x", "deny"),
)


def statuses(folder: Path, made: str, *shown: Json) -> dict[str, str]:
    """Return the status of each clause of a run whose model wrote these rules and scenarios."""
    answers = {"compile": made, "scenarios": items(*shown), "turn": items(), "judge": "", "patch": ""}
    Scene(folder / "run").generate(answers, job(constitution=TEXT))
    return {one.clause.text: one.status for one in clauses_of_run(folder / "run")}


def test_rules_that_say_what_exact_sentences_say_enforce_them(tmp_path: Path):
    wanted = {READING: "enforced", EXACT: "enforced"}
    assert wanted == statuses(tmp_path, rules(READS, prohibitions=[NEVER]), *SHOWN)


@pytest.mark.parametrize(
    ("clause", "made", "shown"),
    [
        (EXACT, rules(READS, prohibitions=[OTHER]), (*SHOWN, item("delete", "/home/ada/a.txt", "deny"))),
        (READING, rules(WIDER, prohibitions=[NEVER]), SHOWN),
        (READING, rules(READS, MORE, prohibitions=[NEVER]), (*SHOWN, item("write", "/home/ada/notes/a", "allow"))),
    ],
)
def test_an_exact_sentence_whose_rules_say_something_else_is_not_enforced(
    clause: str, made: str, shown: tuple[Json, ...], tmp_path: Path
):
    assert "enforced" != statuses(tmp_path, made, *shown)[clause]
