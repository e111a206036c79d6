"""`retouch policy rewrite`: a sentence that is not understood is replaced by one that it may be meant as."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result

Retouch: TypeAlias = "Callable[..., Result]"

TEXT = """\
# Desk agent

- Rent bills above 900 are for me
  to look at.
- You may pay bills.
- Be patient -- with people who have lost their line.
"""
EXACT = 'Never use the tool pay_bill of desk if category is "rent" and amount is more than 900.'
PROPERTIES: dict[str, Any] = {
    "bill_id": {"type": "string"},
    "category": {"type": "string", "enum": ["water", "rent", "power"]},
    "amount": {"type": "integer"},
}
TOOLS = [
    {
        "toolName": "pay_bill",
        "comment": "Pay a bill.",
        "args": {arg: ["none"] for arg in PROPERTIES},
        "inputSchema": {"type": "object", "properties": PROPERTIES, "required": list(PROPERTIES)},
    }
]
WORDS = ("generate", "policy", "desk.md", "--tools", "tools.json", "-o", "run", "-q")


@pytest.fixture
def text(work_folder: Path, monkeypatch: pytest.MonkeyPatch, retouch: Retouch) -> Path:
    """The text of a run that did not understand two sentences."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(work_folder / "cache"))
    (work_folder / "tools.json").write_text(json.dumps({"servers": {"desk": {"tools": TOOLS}}}), encoding="utf-8")
    (work_folder / "desk.md").write_text(TEXT, encoding="utf-8")
    assert 1 == retouch(*WORDS).exit_code
    return work_folder / "desk.md"


def clauses(retouch: Retouch) -> list[dict[str, Any]]:
    return json.loads(retouch("policy", "clauses", "run", "--json").stdout)["clauses"]


def test_the_suggestion_replaces_the_sentence_and_is_enforced_in_the_next_run(text: Path, retouch: Retouch):
    assert [[EXACT], [], []] == [one["nearest"] for one in clauses(retouch)]
    done = retouch("policy", "rewrite", "desk.md", "run", "3")
    assert (0, f"line 3: {EXACT}") == (done.exit_code, done.stdout.splitlines()[0])
    was = "Rent bills above 900 are for me\n  to look at."
    assert TEXT.replace(was, f"{EXACT} <!-- {was} -->") == text.read_text(encoding="utf-8")
    retouch(*WORDS)
    assert ["enforced", "enforced", "not_expressible"] == [one["status"] for one in clauses(retouch)]
    assert [3, 5, 6] == [one["line"] for one in clauses(retouch)]  # the comment keeps the lines


def test_a_policy_whose_refused_sentence_is_rewritten_is_verified(text: Path, retouch: Retouch):
    text.write_text(TEXT.rsplit("- Be patient", 1)[0], encoding="utf-8")
    retouch(*WORDS)
    retouch("policy", "rewrite", "desk.md", "run", "Rent bills above 900 are for me to look at.")
    assert 0 == retouch(*WORDS).exit_code
    assert json.loads((text.parent / "run" / "policy.json").read_text(encoding="utf-8"))["verified"]


@pytest.mark.usefixtures("text")
def test_rewrite_as_json_has_both_sentences(retouch: Retouch):
    done = retouch("policy", "rewrite", "desk.md", "run", "3", "--choice", "1", "--json")
    wanted = {"line": 3, "was": "Rent bills above 900 are for me to look at.", "now": EXACT}
    assert wanted == json.loads(done.stdout)


@pytest.mark.usefixtures("text")
def test_an_error_names_the_sentence_that_it_may_be_meant_as(retouch: Retouch):
    done = retouch("validate", "run", "--json")
    (issue,) = [one for one in json.loads(done.stdout)["issues"] if one["message"].startswith("line 3")]
    assert EXACT in issue["fix"]
    assert f"1. {EXACT}" in retouch("policy", "clauses", "run").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("3", "--choice", "2"),
            f"there is no suggestion 2 for 'Rent bills above 900 are for me to look at.'|1: {EXACT}",
        ),
        (("3", "--choice", "0"), "there is no suggestion 0"),
        (("6",), "There are none. Write the sentence in another way."),
        (("99",), "there is no clause '99'|Clauses that are not enforced: line 3: Rent bills"),
    ],
)
def test_what_cannot_be_rewritten_is_named_and_changes_nothing(
    words: tuple[str, ...], said: str, text: Path, retouch: Retouch
):
    done = retouch("policy", "rewrite", "desk.md", "run", *words)
    assert 2 == done.exit_code
    for part in said.split("|"):
        assert part in done.stderr
    assert TEXT == text.read_text(encoding="utf-8")


def test_a_text_that_has_changed_since_the_run_is_not_rewritten(text: Path, retouch: Retouch):
    changed = TEXT.replace("- Rent", "\n- Rent")
    text.write_text(changed, encoding="utf-8")
    done = retouch("policy", "rewrite", "desk.md", "run", "3")
    assert (2, True) == (done.exit_code, "If the text has changed, run 'retouch generate policy' again" in done.stderr)
    assert changed == text.read_text(encoding="utf-8")


@pytest.mark.parametrize("arrow", ["-->", "--->", "---->"])
def test_a_sentence_with_an_arrow_stays_in_its_comment(arrow: str, text: Path, retouch: Retouch):
    text.write_text(TEXT.replace("me\n  to look at.", f"me to look at {arrow}"), encoding="utf-8")
    retouch(*WORDS)
    assert 0 == retouch("policy", "rewrite", "desk.md", "run", "3").exit_code
    assert 1 == text.read_text(encoding="utf-8").count("-->")
    retouch(*WORDS)
    assert [EXACT, "You may pay bills."] == [one["text"] for one in clauses(retouch)][:2]


def test_line_ends_and_a_link_to_the_text_are_kept(text: Path, retouch: Retouch):
    text.write_bytes(TEXT.replace("\n", "\r\n").encode())
    (text.parent / "link.md").symlink_to(text)
    retouch(*WORDS)
    assert 0 == retouch("policy", "rewrite", "link.md", "run", "3").exit_code
    assert (text.parent / "link.md").is_symlink()
    assert TEXT.count("\n") == text.read_bytes().count(b"\r\n")
    assert EXACT.encode() in text.read_bytes()
