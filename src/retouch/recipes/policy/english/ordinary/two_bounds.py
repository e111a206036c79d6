"""Reads a restriction with a bound on each side: "never create a price under $5 or over $500".

It is what two sentences say together, each with one of the bounds. "Prices must be between $5 and $500" and "prices
between $5 and $500 only" exclude what is below and above.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.scanning import Unclear

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.recipes.policy.english.words.sentences import Meaning

_UNDER = r"(?:under|below|(?:less|lower|smaller|fewer|shorter|cheaper) than)"
_OVER = r"(?:over|above|(?:more|higher|greater|bigger|longer|larger) than)"
_AMOUNT = r"(?P<{0}>[$\u20ac\u00a3]?\d[\d.,]*)(?P<{0}_unit>%| (?!or |and |nor )[a-z]+)?"
_RESTRICTS = (
    r"(?:please )?(?:(?:always )?ask (?:me )?before |you (?:must|may|should|can) (?:not|never) |never |"
    r"don't |do not |no |.* "
    r"(?:must|may|should|can) (?:not|never) )"
)
_BOTH = re.compile(
    rf"(?P<head>{_RESTRICTS}.*?)(?P<one>{_UNDER}|{_OVER}) {_AMOUNT.format('a')},? (?:or|and|nor) "
    rf"(?P<two>{_UNDER}|{_OVER}) "
    rf"{_AMOUNT.format('b')}(?P<rest>(?: .*)?)",
    re.IGNORECASE,
)
_ONLY = re.compile(
    rf"(?:only )?(?:(?:create|make|set|use) )?(?P<things>[a-z]+(?: [a-z]+)?)(?P<only> only)? between "
    rf"{_AMOUNT.format('a')} and "
    rf"{_AMOUNT.format('b')}(?P<end> only)?",
    re.IGNORECASE,
)
_MUST = re.compile(
    rf"(?P<things>[a-z]+(?: [a-z]+)?) (?:must|should|have to|has to|need to) (?:always )?(?:be|cost|stay) (?:(?P<least>"
    rf"at least|no less than|a minimum of)|(?P<most>at most|no more than|a maximum of)|between "
    rf"{_AMOUNT.format('b')} and) "
    rf"{_AMOUNT.format('a')}",
    re.IGNORECASE,
)


def bounded_meaning(text: str, read: Callable[[str], Meaning]) -> Meaning | None:
    """Return what a restriction with two bounds means: what either bound alone restricts. None if it is no such one."""
    two = _halves(text.strip().rstrip(".!").replace("\u2019", "'"))
    if not two:
        return None
    try:
        meanings = [read(one) for one in two]
    except Unclear:
        return None
    kinds = {(bool(one.ask), bool(one.never)) for one in meanings}
    plain = not any(one.allow or one.excepted for one in meanings)
    if not plain or len(kinds) != 1 or kinds == {(True, True)}:
        return None
    whole = meanings[0]
    for one in meanings[1:]:
        whole |= one
    return whole


def _halves(text: str) -> tuple[str, ...]:
    """Return a sentence for each bound. Empty if there are not two, or both are on the same side."""
    if (found := _BOTH.fullmatch(text)) is not None:
        sides = [re.fullmatch(_UNDER, found[one], re.IGNORECASE) is not None for one in ("one", "two")]
        unit = found["a_unit"] or found["b_unit"] or ""
        sums = [f"{found['one']} {found['a']}{unit}", f"{found['two']} {found['b']}{found['b_unit'] or unit}"]
        return tuple(f"{found['head']}{one}{found['rest']}." for one in sums) if sides[0] is not sides[1] else ()
    if (found := _ONLY.fullmatch(text)) is not None:
        said = text.lower().startswith("only ") or found["only"] or found["end"]
        unit = found["a_unit"] or found["b_unit"] or ""
        things = found["things"]
        below, above = f"{found['a']}{unit}", f"{found['b']}{found['b_unit'] or unit}"
        return (f"No {things} below {below}.", f"No {things} above {above}.") if said else ()
    if (found := _MUST.fullmatch(text)) is not None:
        things, last = found["things"].lower(), f"{found['a']}{found['a_unit'] or ''}"
        one = f"No {things} {'below' if found['least'] else 'above'} {last}."
        unit = found["b_unit"] or found["a_unit"] or ""
        return (f"No {things} below {found['b']}{unit}.", one) if found["b"] else (one,)
    return ()
