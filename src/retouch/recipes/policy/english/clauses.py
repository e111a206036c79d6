"""Splits a constitution into sentences with line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"#{1,6}\s")
_RULER = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_TITLE = re.compile(
    r"what (?:my|our|the|this|your|an) (?:ai )?(?:agents?|assistants?|bots?) (?:may|can)(?: and may not)? do"
)
_SUBJECTS = """
    a about account accounts agent agents all an and appendix assistant background basics bot browsing calendar code
    coding commands communication constitution contacts customers data database databases definitions details
    directories documents downloads e-mail email emails events everything example examples files filesystem folders
    for general git github goals guidelines home in instructions internet introduction mail mails mailbox messages
    misc miscellaneous money my network notes of on orders other our overview pages payments people photos policies
    policy privacy product production projects purpose refunds remotes repo repos repositories repository rules
    safety scope search section security server servers services shell sites source summary systems tables tasks
    team terminal the this to tools uploads usage web websites with work world your
    airline booking bookings case compensation constitution context document entities flight flights google group
    guiding hotel hotels management principle principles refunds reservation reservations scenarios schema service setup
    streaming test tests use use-case user users workspace
"""
_LAYOUT = frozenset(_SUBJECTS.split()) - {"production", "for", "on", "all", "everything", "other"}


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One sentence of the text with white space collapsed. `line` is 1-based.

    `heading`: it is a heading, which may change the meaning of everything below it.
    """

    text: str
    line: int
    heading: bool = False


def clauses_of(text: str) -> tuple[Clause, ...]:
    """Return the sentences of a Markdown text in order.

    Rulers, HTML comments and headings that only name a subject are layout. Any other heading (`Forbidden`, `If I am at
    my desk`) is a sentence of its own. A sentence ends at the end of a paragraph or list item, and at a full stop
    before white space outside quotes.
    """
    lines = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text).splitlines()
    return tuple(clause for block in _blocks(lines) for clause in _sentences(block))


def quoted_clauses(quote: str, clauses: Sequence[Clause]) -> tuple[int, ...]:
    """Return the indexes of the clauses that a quote consists of. Empty if a part of it is not a whole clause.

    White space, list markers and punctuation at the ends are ignored.
    """
    known: dict[str, int] = {}
    for place, one in enumerate(clauses):
        known.setdefault(bare(one.text), place)
    whole = known.get(bare(quote))
    if whole is not None:
        return (whole,)
    found = [known.get(bare(one.text)) for one in clauses_of(quote)]
    return () if None in found else tuple(place for place in found if place is not None)


def bare(text: str) -> str:
    """Return a sentence without white space, list and heading markers, and punctuation at its end."""
    return re.sub(r"^(?:#{1,6}|[-*+]|\d+[.)])\s+", "", " ".join(text.split())).rstrip(" .!?;:,")


def _is_layout(heading: str) -> bool:
    title = re.sub(r"[*_`#:.]+|\d+(?:\.\d+)*[.)]?\s", " ", heading.lower()).strip()
    words = re.findall(r"[^\s,&/()-]+(?:-[^\s,&/()-]+)*", title)
    return _TITLE.fullmatch(" ".join(words)) is not None or all(word in _LAYOUT for word in words)


def _blocks(lines: list[str]) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.match(line) is not None
        item = _ITEM.match(line)
        if block and (heading or item or not line.strip() or _RULER.fullmatch(line)):
            yield block
            block = []
        if not line.strip() or _RULER.fullmatch(line):
            continue
        if heading:
            if not _is_layout(line):
                yield [(number, line)]
            continue
        block.append((number, line[item.end() :] if item else line))
    if block:
        yield block


def _sentences(block: list[tuple[int, str]]) -> Iterator[Clause]:
    text = "\n".join(line for _, line in block)
    first = block[0][0]
    if _HEADING.match(text):
        yield Clause(text=" ".join(text.split()), line=first, heading=True)
        return
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    start = 0
    for stop in re.finditer(r"[.!?](?=\s|$)|$", text):
        if any(low <= stop.start() < high for low, high in quoted):
            continue
        sentence = text[start : stop.end()]
        if re.search(r"\w", sentence):
            blank = len(sentence) - len(sentence.lstrip())
            yield Clause(text=" ".join(sentence.split()), line=first + text.count("\n", 0, start + blank))
            start = stop.end()
