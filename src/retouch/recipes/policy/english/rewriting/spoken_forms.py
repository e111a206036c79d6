"""Writes what people say in passing as the plain rule: "nothing gets deleted" is "never delete anything".

"Refunds: three a day at most", "three refunds a day, not more" and "more than three refunds a day is too much" are
"no more than three refunds a day", "only I merge pull requests" is "never merge pull requests", "cancel an order only
if it is fraud, otherwise ask me" asks before it unless it is, and what a second sentence forbids of "it" belongs to the
first one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import VERBS, bases_of, word_set

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_DONT = r"(?:never|do not|don['\u2019]t)"
_PER = r"(?:an?|per|each|every) (?:minute|hour|day|week|month)"
_RATE = rf"(?P<rate>(?:\d+|[a-z]+) (?:[a-z-]+ ){{1,3}}{_PER})"
_PASSIVE = re.compile(
    r"nothing (?:ever )?(?:gets|is|may be|must be|can be|should be|is to be|will be) (?:ever )?(?P<v>[a-z]+)"
    r"(?P<rest>(?: (?!or\b|and\b)[^,;]+)?)(?P<end>[.!]?)",
    re.IGNORECASE,
)
_LIMITS = (
    re.compile(
        rf"{_RATE}(?:, (?:and )?(?:not more|no more|(?:and )?that['\u2019]s it)|,? (?:tops|max))(?P<end>[.!]?)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_RATE} (?:is|are) (?:(?:the|my|our|your) (?:absolute )?(?:limit|maximum|max|most)|plenty|enough)"
        rf"(?:[.,;] (?:please )?{_DONT} (?P<verb>[a-z]+) (?:any )?more)?(?P<end>[.!]?)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:anything )?more than {_RATE} (?:is|are) (?:too (?:much|many)|not okay)(?P<end>[.!]?)", re.IGNORECASE
    ),
    re.compile(rf"I do(?: not|n['\u2019]t) want more than {_RATE}(?P<end>[.!]?)", re.IGNORECASE),
    re.compile(rf"never over {_RATE}(?P<end>[.!]?)", re.IGNORECASE),
)
_MOST = r"(?:at (?:the )?most|no more than|not more than|max\.?|maximum)"
_TOPIC = re.compile(
    rf"(?P<topic>[A-Za-z]+(?: [a-z]+)?): (?:{_MOST} (?P<before>\d+|[a-z]+)|(?P<after>\d+|[a-z]+)) (?P<per>{_PER})"
    rf"(?P<most>,? (?:{_MOST}|no more|not more|tops))?(?P<end>[.!]?)"
)
_ABOVE = re.compile(
    r"(?P<fine>[A-Z][^,;.]*? up to [^,;.]+? (?:is|are) (?:fine|okay|ok|allowed|no problem|alright))[,;.] "
    r"(?:for anything (?:above|over|beyond|more than) that,? (?:please )?(?:ask|check with) me(?: first)?|"
    r"(?:please )?(?:ask|check with) me (?:for|before) anything (?:above|over|beyond|more than) that)(?P<end>[.!]?)"
)
_NEW_ONLY = re.compile(r"New (?P<what>[a-z]+s)(?: only in (?P<a>[^,;]+?)| in (?P<b>[^,;]+?) only)(?P<end>[.!]?)")
_ONLY_I = re.compile(r"only (?:I|we) (?P<v>[a-z]+) (?P<rest>[^,;]+?)(?P<end>[.!]?)", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"(?P<v>[a-z]+) (?P<what>[^,;]+?)(?: yourself| on your own)? only if (?P<if>[^,;]+), (?:otherwise|else|if not),? "
    r"(?:always )?ask(?: me)?(?: first)?(?P<end>[.!]?)",
    re.IGNORECASE,
)
# What a second sentence says of the things of the first one, which permits.
NOT_OF_THEM = re.compile(
    rf"(?:please )?{_DONT} [a-z]+ (?:one|any|them|it|any of them|anything (?:there|in it|in there))(?: for me)?"
    r"|[a-z]+ing (?:them|it|any|those|one) (?:is|stays) [^,;.]+"
    r"|(?:and )?(?:nothing|nobody|nowhere) else",
    re.IGNORECASE,
)
_PERMITTING = re.compile(r"you (?:may|can)\b(?!.*\b(?:only|not|never|but)\b)", re.IGNORECASE)
_LIMITING = re.compile(r"only [a-z]+\b(?!.*\b(?:only|not|never|but)\b)", re.IGNORECASE)
_SECOND = re.compile(rf"(?P<first>[^.;]+)[.;] (?P<second>{NOT_OF_THEM.pattern})(?P<end>[.!]?)", re.IGNORECASE)
_NO_DEEDS = word_set("want like need know trust see am have get think expect own use pay")
_NO_PASSIVES = word_set("allowed permitted authorized authorised supposed expected meant required asked told needed")


def in_plain_rules(text: str, toolbox: Toolbox | None) -> str:
    """Return a sentence as the rule that it means. A sentence with quoted text stays as it is."""
    if "`" in text or '"' in text:
        return text
    verbs = frozenset((*VERBS, *(() if toolbox is None else toolbox.verbs)))
    readers: tuple[Callable[[str, Collection[str]], str | None], ...] = (
        _above_that, _new_only, _never_anything, _at_most, _of_topic, _mine, _asked_otherwise, _of_them,
    )  # fmt: skip
    return next((plain for read in readers if (plain := read(text.strip(), verbs)) is not None), text)


def _never_anything(text: str, verbs: Collection[str]) -> str | None:
    found = _PASSIVE.fullmatch(text)
    done = found["v"].lower() if found else ""
    bases = [one for one in dict.fromkeys(bases_of(done, form="ed")) if one in verbs and done not in _NO_PASSIVES]
    return f"Never {bases[0]} anything{found['rest']}{found['end']}" if found and len(bases) == 1 else None


def _above_that(text: str, _: Collection[str]) -> str | None:
    found = _ABOVE.fullmatch(text)
    return f"{found['fine']}, anything above needs my approval{found['end']}" if found else None


def _new_only(text: str, _: Collection[str]) -> str | None:
    found = _NEW_ONLY.fullmatch(text)
    return f"Only create {found['what']} in {found['a'] or found['b']}{found['end']}" if found else None


def _at_most(text: str, _: Collection[str]) -> str | None:
    found = next((match for one in _LIMITS if (match := one.fullmatch(text))), None)
    if found is None:
        return None
    start = f"Never {verb} more" if (verb := found.groupdict().get("verb")) else "No more"
    return f"{start} than {_low(found['rate'])}{found['end']}"


def _of_topic(text: str, verbs: Collection[str]) -> str | None:
    found = _TOPIC.fullmatch(text)
    if found is None or not (found["before"] or found["most"]):
        return None
    first, *more = _low(found["topic"]).split()
    bases = [one for one in dict.fromkeys(bases_of(first, form="ing")) if one in verbs] if more else []
    start, things = (f"Never {bases[0]} more", more[0]) if bases else ("No more", _low(found["topic"]))
    number = found["before"] or found["after"]
    return f"{start} than {number} {things} {found['per']}{found['end']}" if things.endswith("s") else None


def _mine(text: str, verbs: Collection[str]) -> str | None:
    found = _ONLY_I.fullmatch(text)
    known = found is not None and found["v"] in verbs and found["v"] not in _NO_DEEDS
    return f"Never {found['v']} {found['rest']}{found['end']}" if found and known else None


def _asked_otherwise(text: str, verbs: Collection[str]) -> str | None:
    found = _OTHERWISE.fullmatch(text)
    known = found is not None and found["v"].lower() in verbs
    return (
        f"Ask me before you {_low(found['v'])} {found['what']} unless {found['if']}{found['end']}"
        if found and known
        else None
    )


def _of_them(text: str, _: Collection[str]) -> str | None:
    found = _SECOND.fullmatch(text)
    if found is None or not belongs_to(found["first"], found["second"]):
        return None
    joint = "," if found["second"].endswith("else") else ", but"
    return f"{found['first']}{joint} {_low(found['second'])}{found['end']}"


def belongs_to(first: str, second: str) -> bool:
    """Return whether "nothing else" or "never delete one" belongs to the sentence before it.

    After "only read ~/docs" a prohibition is one of its own.
    """
    rest = second.lower().endswith("else") and _LIMITING.match(first) is not None
    return NOT_OF_THEM.fullmatch(second) is not None and (rest or _PERMITTING.match(first) is not None)


def _low(text: str) -> str:
    """Return a text with a small first letter, if its first word is no name or abbreviation."""
    first = text.split(maxsplit=1)[0]
    return text[0].lower() + text[1:] if first[1:].islower() or len(first) == 1 else text
