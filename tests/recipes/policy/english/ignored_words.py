"""Finds readings that ignore a word of their sentence: changes one word, and compares the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Literal

from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english import mcp_sentences, ordinary_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import When

Kind = Literal["replaced", "inserted", "trailing", "negated"]
UNKNOWN = "zebra"
QUALIFIERS = (
    "that are old", "for our best customers", "older than 30 days", "if it is urgent", "unless it rains",
    "during a full moon", "written by Bob", "with care", "of my team", "most of the time", "in blue",
    "except the secret ones", "containing passwords", "when the tests pass", "larger than 5 MB", "marked as spam",
    "but not too often", "without a reason", "once", "for testing", "while I sleep", "other than drafts",
)  # fmt: skip
ADJECTIVES = ("old", "important", "unread", "private", "other people's", "large", "external", "internal", "failed")
PERMITS = re.compile(r"\b(may|can)\b(?! not| never| only)", re.IGNORECASE)
FORBIDS = re.compile(r"\b(?:never|do not|don't)\b\s*", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Changed:
    """A sentence with one change."""

    kind: Kind
    text: str


def rules_or_none(text: str, frame: Policy) -> frozenset[tuple[When, str]] | None:
    """Return the conditions and decisions that a sentence makes. None if it is refused."""
    made = compile_clauses(text, frame)
    if any(not is_background(one) for one in made.refused):
        return None
    return frozenset((one.when, one.then) for one in made.rules)


def changes_of(text: str) -> Iterator[Changed]:
    """Yield the sentence with each word replaced or followed by an unknown one, and with further qualifiers."""
    words = text.split()
    for at, word in enumerate(words):
        tail = re.findall(r"[.,;:!]*$", word)[0]
        yield Changed(kind="replaced", text=" ".join([*words[:at], UNKNOWN + tail, *words[at + 1 :]]))
        yield Changed(kind="inserted", text=" ".join([*words[:at], UNKNOWN, *words[at:]]))
        for adjective in ADJECTIVES:
            yield Changed(kind="inserted", text=" ".join([*words[:at], adjective, *words[at:]]))
    body = text.rstrip(".!")
    for one in QUALIFIERS:
        yield Changed(kind="trailing", text=f"{body} {one}.")
        yield Changed(kind="trailing", text=f"{body}, {one}.")
    if PERMITS.search(text):
        yield Changed(kind="negated", text=PERMITS.sub(r"\1 not", text, count=1))


def misread(text: str, frame: Policy, changed: Changed, before: frozenset[tuple[When, str]]) -> str | None:
    """Return why the reading of a changed sentence ignores the change. None if it does not.

    An unknown word may be a new name, so that the rules differ. The same rules mean that it was ignored. Further
    qualifiers and adjectives cannot be tested by any argument, so that the sentence must be refused.
    """
    if len(clauses_of(changed.text)) != len(clauses_of(text)):
        return None
    after = rules_or_none(changed.text, frame)
    if after is None:
        return None
    if changed.kind == "replaced":
        return "a word was ignored" if after == before else None
    if changed.kind == "negated":
        kept = {one for one in after if one in before and one[1] == "allow"}
        return "a negation was ignored" if kept == {one for one in before if one[1] == "allow"} else None
    if changed.kind == "trailing":
        return "a qualifier was ignored"
    return "a word was ignored" if after == before or UNKNOWN not in changed.text else None


def sentences() -> Iterator[tuple[str, Policy]]:
    """Yield ordinary sentences with the tools of their agent."""
    for one in mcp_sentences.expected():
        yield one.text, mcp_sentences.frame(one.agent)
    for agent, found in ordinary_sentences.SENTENCES.items():
        for one in found:
            yield one["text"], ordinary_sentences.frame(agent)


def ignored(text: str, frame: Policy, *, sample: int | None = None) -> Iterator[str]:
    """Yield the changes of a sentence that its reading ignores. `sample` limits how many are tried."""
    before = rules_or_none(text, frame)
    if not before:
        return
    changes = list(changes_of(text))
    for changed in changes if sample is None else Random(text).sample(changes, min(sample, len(changes))):
        why = misread(text, frame, changed, before)
        if why is not None:
            yield f"{why}: {changed.text!r}, from {text!r}"


def main() -> int:
    """Try every change of every sentence, and print what is ignored."""
    count = 0
    for text, frame in sentences():
        for line in ignored(text, frame):
            count += 1
            print(line, flush=True)
    print(f"{count} changes were ignored")
    return int(count > 0)


if __name__ == "__main__":
    raise SystemExit(main())
