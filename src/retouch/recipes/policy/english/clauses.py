"""Splits a constitution into sentences with line numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.background import may_scope
from retouch.recipes.policy.english.rewriting.spoken_forms import belongs_to
from retouch.recipes.policy.english.rewriting.told_facts import tells_fact
from retouch.recipes.policy.english.words import lexicon
from retouch.recipes.policy.english.words.lexicon import singular, word_set
from retouch.recipes.policy.language.comments import without_comments

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_HEADING = re.compile(r"#{1,6}\s")
_RULER = re.compile(r"\s*(?:-{3,}|\*{3,}|_{3,}|={3,})\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")
_PIECE = re.compile(rf"({_QUOTED.pattern})|\s+")
# "Deleting events? Ask me." is one sentence: the question says what the answer is about.
_ANSWER = re.compile(
    r"\s+(?:always |please )?(?:ask|check|confirm|never|no\b|not |fine|sure|yes|go ahead)", re.IGNORECASE
)
_SHORT = re.compile(r"\b(?:Dr|Mrs?|Ms|Prof|St|e\.g|i\.e)\.$")
_HALF_DAY = re.compile(r"\d\s?[ap]\.m\.$", re.IGNORECASE)
_GOES_ON = re.compile(r"\s+[a-z0-9(]")
_NEXT = re.compile(r"\s+(?P<next>[^.!?\n]+)[.!]?(?=\s|$)")
_NO_MORE = re.compile(r"(?:please )?(?:never|do not|don['\u2019]t) [a-z]+ (?:any )?more", re.IGNORECASE)
_TITLE = re.compile(
    r"what (?:you|(?:my|our|the|this|your|an) (?:ai )?(?:agents?|assistants?|bots?)) (?:may|can)(?: and may not)? do"
)
_PAPER = "(?:policy|policies|rules|guidelines|constitution|instructions)"
_AGENT = re.compile(
    rf"(?:(?:the |our |my )?{_PAPER} (?:for|of) (?:the |our |my |an? )?)?(.*\b(?:agent|assistant|bot))(?: {_PAPER})?"
)
# The parts of a document, and words that join nouns. A preposition of time or place could be a condition.
_PARTS = word_set(
    "a about an and appendix background basics chapter constitution context definition detail document example general "
    "goal guideline guiding instruction introduction misc miscellaneous my note of our overview part policy principle "
    "purpose reference role rule scenario scope section setup source summary terminology the this to with your"
)
# What an agent works for: "# Bank agent" is a title.
_FIELDS = word_set(
    "accounting airline bank banking business calendar clinic company crm customer desk devops e-mail email finance "
    "financial health help helpdesk hospital hr human hotel insurance it legal marketing medical office operation "
    "order patient payroll personal pharmacy product retail sale school security service shop software store "
    "travel treasury"
)
_TITLED = word_set("agent assistant bot constitution guideline policy rule")
_WHO = word_set("agent ai assistant bot customer team user")


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

    Rulers, HTML comments, headings that only name a subject (`Calendar`, `Files and folders`) and a title that names
    the agent (`# News assistant`) are layout. Any other heading (`Forbidden`, `If I am at my desk`) is a sentence of
    its own. A sentence ends at the end of a paragraph or list item, and at a full stop before white space outside
    quotes.
    """
    lines = without_comments(text).splitlines()
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
    if _TITLE.fullmatch(" ".join(words)) is not None or all(map(_is_subject, words)):
        return True
    titled = not _TITLED.isdisjoint(map(singular, words))  # "Business accounts" may limit what is below, so it is none
    return titled and all(_is_subject(word) or singular(word) in _FIELDS for word in words)


def _names_the_agent(heading: str) -> bool:
    """Return whether the title of a text only names the agent, for example "# News assistant"."""
    found = _AGENT.fullmatch(heading.removeprefix("# ").strip().lower())
    return found is not None and not may_scope(found[1])


def _is_subject(word: str) -> bool:
    """Return whether a word of a heading only names a part of the text, somebody, or something that tools act on."""
    one = singular(word)
    return word in _PARTS or one in _PARTS | _WHO or one in lexicon.THINGS


def _blocks(lines: list[str]) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    titles = [line for line in lines if line.startswith("# ")]
    title = titles[0] if len(titles) == 1 and titles == [line for line in lines if line.strip()][:1] else None
    for number, line in enumerate(lines, start=1):
        heading = _HEADING.match(line) is not None
        item = _ITEM.match(line)
        if block and (heading or item or not line.strip() or _RULER.fullmatch(line)):
            yield block
            block = []
        if not line.strip() or _RULER.fullmatch(line):
            continue
        if heading:
            if not (_is_layout(line) or (line is title and _names_the_agent(line))):
                yield [(number, line)]
            continue
        block.append((number, line[item.end() :] if item else line))
    if block:
        yield block


def _collapsed(sentence: str) -> str:
    """Return a sentence with white space collapsed outside of quotes. In quotes a line end is a space."""
    return _PIECE.sub(lambda found: re.sub(r"\s*\n\s*", " ", found[1]) if found[1] else " ", sentence).strip()


def _goes_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether the next sentence tells a fact about this one, repeats its limit, or says what not to do to it."""
    found, rule = _NEXT.match(text, stop.end()), text[start : stop.start()].strip()
    if found is None or _ITEM.match(found["next"]):
        return False
    if belongs_to(rule, found["next"]):
        return start == 0 or not found["next"].lower().endswith("nothing else")  # else than all that is before
    return _NO_MORE.fullmatch(found["next"]) is not None or tells_fact(rule, found["next"])


def _sentences(block: list[tuple[int, str]]) -> Iterator[Clause]:
    text = "\n".join(line for _, line in block)
    first = block[0][0]
    if _HEADING.match(text):
        yield Clause(text=" ".join(text.split()), line=first, heading=True)
        return
    quoted = [found.span() for found in _QUOTED.finditer(text)]
    start = 0
    for stop in re.finditer(r"[.!?](?=\s|$)|$", text):
        answered = stop[0] == "?" and _ANSWER.match(text, stop.end()) is not None
        short = _SHORT.search(text, start, stop.end()) is not None and text[stop.end() :].strip() != ""
        halved = _HALF_DAY.search(text, start, stop.end()) is not None and _GOES_ON.match(text, stop.end()) is not None
        if (
            answered
            or short
            or halved
            or _goes_on(text, start, stop)
            or any(low <= stop.start() < high for low, high in quoted)
        ):
            continue
        sentence = text[start : stop.end()]
        if re.search(r"\w", sentence):
            blank = len(sentence) - len(sentence.lstrip())
            yield Clause(text=_collapsed(sentence), line=first + text.count("\n", 0, start + blank))
            start = stop.end()
