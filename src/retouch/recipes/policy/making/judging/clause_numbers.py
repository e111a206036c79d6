"""The numbers that a sentence names, with the side on which each one is a limit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch.recipes.policy.language.values import Limit

# The values up to and including a number are on one side of a limit ("after": at most 3, more than 3), or the values
# below it are ("before": fewer than 3, at least 3).
Side: TypeAlias = Literal["after", "before"]
Edge: TypeAlias = "tuple[float, Side]"
BOTH: tuple[Side, Side] = ("after", "before")

_ONES = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
_SMALL: dict[str, int] = {word: number for number, word in enumerate(_ONES.split())}
_DECADES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_TENS: dict[str, int] = dict(zip(_DECADES, range(20, 100, 10), strict=True))
_FACTORS = {"dozen": 12, "hundred": 100, "thousand": 1000, "k": 1000, "million": 1_000_000, "m": 1_000_000}
_TIMES = {"once": 1, "twice": 2, "halfway": 50}
_DIGITS = r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_UNIT = "|".join((*_SMALL, *_TENS))
_FACTOR = "hundred|thousand|million|dozen"
_WORDS = rf"(?:(?:{_UNIT}|an?(?= (?:{_FACTOR})))(?:[ -](?:{_UNIT}|{_FACTOR})|(?<=hundred) and (?:{_UNIT}))*)"
_NUMBER = re.compile(
    r"(?<![\w.,:/~@#-])(?:[$\u20ac\u00a3] ?)?"
    rf"(?:(?P<digits>{_DIGITS})(?: ?(?P<factor>k|m|{_FACTOR})\b)?(?![\w:]|[.,]\d)"
    rf"|(?P<words>{_WORDS})\b|(?P<times>once|twice|halfway)\b)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"(?:(?P<after>at most|(?:no |not )?(?:more|greater|higher|larger|bigger|longer) than|up to|"
    r"(?:a |the )?maximum(?: of)?|max\.?|"
    r"(?:a |the |\w+ )?(?:limit|cap)(?: of| is|:)?|limited to|capped at|over|above|beyond|exceed(?:s|ing)?|only|"
    r"(?:in )?excess of|past|within|<=|\u2264|(?<!=)>)"
    r"|(?P<before>at least|(?:no |not )?(?:less|fewer|lower|smaller|shorter) than|(?:a |the )?minimum(?: of)?|min\.?|"
    r"under|below|cheaper than|>=|\u2265|<(?!=)|starting (?:at|from))"
    r"|(?P<between>between|from|and|to))\s+(?:(?:a total of|about|the|eur|usd|gbp|chf|us\$)\s+)?$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\s*(?P<plus>\+|(?:\w+ )?(?:and up\b|upwards?\b))"
    r"|\s*(?:\w+ )?or (?:(?P<after>less|fewer|lower|below|under)|(?P<before>more|above|higher|over|greater))\b",
    re.IGNORECASE,
)
# What is before a number that only describes: "the two directories", "version 3". Any other number may be a limit.
_DESCRIBES = re.compile(
    r"\b(?:the|these|those|both|all|my|our|your|their|its|version|port|page|step|section|line|chapter|phase|level|tier|"
    r"number|no\.|room|python|java|node|following)\s+(?:\w+ )?$",
    re.IGNORECASE,
)
_PRONOUN_BEFORE = re.compile(
    r"\b(?:no|any|each|every|the|this|that|which|last|first|some|another|as|to|is)\s+$", re.IGNORECASE
)
_PRONOUN_BEHIND = re.compile(
    r"\s*(?:$|[.,;:!?)]|(?:of|that|which|who|or|and|another|is|are|at|in|on|for|to|from|if|when|into|onto|with|without|"
    r"before|after|unless|but|by|needs|requires|must|may|can)\b|"
    r"(?!(?:dai|week|month|hour|year|night|quarter|on|ear)ly\b)[a-z]+ly(?=[\s.,;]*$|[.,;]))",
    re.IGNORECASE,
)
# "More than 8 hours in one entry"
_OF_ONE_CALL = re.compile(
    r"\b(?:(?:more|longer|higher) than|over|above|up to|at most) \S+(?: \w+)? (?:on|in|for) $", re.IGNORECASE
)
_PERIOD_BEHIND = re.compile(r"\s*(?:minute|hour|day|week|month|quarter|year)s?\b", re.IGNORECASE)
# "Send one email to more than 5 people"
_SENDING_ONE = re.compile(r"\b(?:send|sending|write|writing|mail) $", re.IGNORECASE)
_ONE_LETTER = re.compile(r" (?:single )?(?:e-?mail|mail|message) (?:to|with) (?:more than|over|above)\b", re.IGNORECASE)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"")


@dataclass(frozen=True, kw_only=True)
class NamedNumber:
    """A number in a text. `sides` are those on which it may be a limit. `limits`: the text determines which side it is.

    `describes`: the number is certainly no limit, such as in "the two directories".
    """

    value: float
    start: int
    end: int
    sides: tuple[Side, ...]
    limits: bool
    describes: bool = False

    def allows(self, edge: Edge) -> bool:
        """Return whether an edge is a limit that the number can mean."""
        return edge[0] == self.value and edge[1] in self.sides


def numbers_in(text: str) -> list[NamedNumber]:
    """Return the numbers of a text, in order: digits and words. Quoted names are left out."""
    plain = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    return list(_numbers(plain))


def _numbers(text: str) -> Iterator[NamedNumber]:
    spread = False
    for found in _NUMBER.finditer(text):
        before, behind = _BEFORE.search(text, 0, found.start()), _BEHIND.match(text, found.end())
        sides: tuple[Side, ...] = BOTH
        if behind is not None:
            sides = ("after",) if behind["after"] else ("before",)  # "50+" too: from 50 on
        elif before is not None and not before["between"]:
            sides = ("after",) if before["after"] else ("before",)
        joined = before is not None and before["between"] is not None and before["between"].lower()
        limits = sides != BOTH or (spread and joined in {"and", "to"})
        spread = joined in {"between", "from"}
        yield NamedNumber(
            value=_value(found),
            start=found.start(),
            end=found.end(),
            sides=sides,
            limits=limits,
            describes=not limits and _describes(text, found),
        )


def _describes(text: str, found: re.Match[str]) -> bool:
    before, word = text[: found.start()], found[0].lower()
    if word == "once":
        return True  # "once I approve"; "once a day" and "only once" are found as rates
    pronoun = _PRONOUN_BEFORE.search(before) is not None or _PRONOUN_BEHIND.match(text, found.end()) is not None
    if word == "one" and _OF_ONE_CALL.search(before) and not _PERIOD_BEHIND.match(text, found.end()):
        return True
    if word == "one" and _SENDING_ONE.search(before) and _ONE_LETTER.match(text, found.end()):
        return True
    year = re.fullmatch(r"(?:19|20)\d\d", word) is not None and re.search(r"\b(?:in|of|year) $", before) is not None
    return year or (word == "one" and pronoun) or _DESCRIBES.search(before) is not None


def _value(found: re.Match[str]) -> float:
    if found["times"]:
        return _TIMES[found["times"].lower()]
    if found["digits"]:
        return float(found["digits"].replace(",", "")) * _FACTORS.get((found["factor"] or "").lower(), 1)
    total, current = 0, 0
    for word in re.split(r"[ -]", found["words"].lower()):
        if word in {"hundred", "dozen"}:
            current = max(current, 1) * _FACTORS[word]
        elif word in _FACTORS:
            total, current = total + max(current, 1) * _FACTORS[word], 0
        else:
            current += _SMALL.get(word, _TENS.get(word, 0))
    return total + current


def edges_of(limit: Limit) -> list[Edge]:
    """Return where the values of a test start and end. Numbers of calls and sizes are whole: below 4 is at most 3."""
    after = [one for one in (limit.above, limit.at_most) if one is not None]
    before = [one for one in (limit.below, limit.at_least) if one is not None]
    if limit.count is not None or (limit.size is not None and limit.since is None):
        return [(one, "after") for one in (*after, *(number - 1 for number in before if number != 0))]
    return [*((one, "after") for one in after), *((one, "before") for one in before if one != 0)]


def whole(numbers: Sequence[NamedNumber]) -> list[Edge]:
    """Return the edges of numbers of calls and sizes: fewer than 3 is at most 2."""
    return [(one.value - (one.sides == ("before",)), "after") for one in numbers]
