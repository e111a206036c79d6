"""A corpus of replies per format: `corpus/FORMAT.txt` has the files before, the reply, and the files after."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from retouch.edits import apply_reply, read_reply

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "corpus"
MARK = "##### "


@dataclass
class Case:
    """One reply and what it must do."""

    name: str
    format: str
    options: list[str] = field(default_factory=list[str])
    before: dict[str, str] = field(default_factory=dict[str, str])
    after: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    reply: str = ""
    refused: str | None = None
    unread: int | None = None


def read_corpus() -> Iterator[Case]:
    for path in sorted(FOLDER.glob("*.txt")):
        for text in path.read_text(encoding="utf-8").split(f"{MARK}case ")[1:]:
            name, _, rest = text.partition("\n")
            case = Case(name=name, format=path.stem)
            for section in f"\n{rest.rstrip()}\n".split(f"\n{MARK}")[1:]:
                add_section(case, *section.partition("\n")[::2])
            yield case


def add_section(case: Case, head: str, text: str) -> None:
    kind, _, rest = head.partition(" ")
    text = text if text.endswith("\n") or not text else text + "\n"
    match kind:
        case "before":
            case.before[rest] = text
        case "after":
            case.after[rest] = text
        case "gone":
            case.after[rest] = None
        case "reply":
            case.reply = text
        case "refused":
            case.refused, *more = rest.split(" unread ")
            case.unread = int(more[0]) if more else None
        case "options":
            case.options = rest.split()
        case _:
            raise ValueError(head)


CASES = list(read_corpus())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.format}: {case.name}")
@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_reply_is_applied_as_it_is_meant_or_refused_with_its_reason(case: Case, eol: str):
    result = apply_reply(case.reply.replace("\n", eol), case.before, whole_files="whole_files" in case.options)
    assert case.refused == result.error, [issue.message for issue in result.issues]
    if case.refused is None:
        assert case.after == dict(result.files)
    if case.unread is not None:
        assert [case.unread] == [one.line for one in result.unread]


APPLIED = [case for case in CASES if case.refused is None and "other" not in case.options]


@pytest.mark.parametrize("case", APPLIED, ids=lambda case: f"{case.format}: {case.name}")
def test_an_edit_names_the_format_that_it_was_read_from(case: Case):
    reading = read_reply(case.reply, known=case.before)
    assert () == reading.unread
    assert case.format in {edit.format for edit in reading.edits}


def test_real_replies_without_edits_are_prose_and_real_replies_that_were_cut_are_named(shared_data: Path):
    seen = Counter[tuple[str, bool, bool]]()
    for line in (shared_data / "llm_outputs" / "outputs.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        reading = read_reply(row["text"])
        if row["kind"] != "edit_turn":
            assert ((), ()) == (reading.edits, reading.unread), row["id"]
        elif row["text"].count("\n<<<<<<< SEARCH") > row["text"].count("\n>>>>>>> REPLACE"):
            assert 1 == len(reading.unread), row["id"]
        elif "search_replace" in row["shape"]:
            assert () == reading.unread, row["id"]
            assert {"search_replace"} == {edit.format for edit in reading.edits}, row["id"]
        seen[row["kind"], bool(reading.edits), bool(reading.unread)] += 1
    assert seen["edit_turn", True, False] >= 40
    assert seen["text", False, False] >= 80


def test_the_corpus_has_every_format():
    assert {"change", "search_replace", "apply_patch", "unified_diff", "tool_call", "xml", "whole_file"} == {
        case.format for case in CASES
    }
