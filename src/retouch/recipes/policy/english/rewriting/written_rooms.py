"""Writes rooms and settings of devices as the readers know them.

"In the nursery" is 'in the area "nursery"', if the tools take the area of a device, and "keep the volume at 40 percent
or lower" is "never set the volume above 40 percent".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.names import ROOM, ROOM_NOUNS

if TYPE_CHECKING:
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

_END = (
    r"(?=[.,;?!]|$| (?:alone|untouched|unless|without|except|between|before|after|and nowhere|only|at all|may|must|can|"
    r"should|shall|is|are|needs?|requires?)\b)"
)
_IN = re.compile(rf"\b(?P<in>in|inside|within) (?:the |my |our )?(?P<room>{ROOM}){_END}", re.IGNORECASE)
_ALL = re.compile(r" in (?:every|each|any|all(?: of)?(?: the)?) (?:single )?rooms?(?: of the house)?(?=[.,;]?$)")
_WHOLE_HOUSE = re.compile(r" (?:in|inside|around) the (?:whole |entire )?(?:house|home|flat|apartment)(?=[.,;]?$)")
_SETTING = (
    r"(?:the )?(?:(?:speaker|music|light|lamp|room|target|heating)(?:'s|s)? )?(?P<a>volume|brightness|temperature)"
    r"(?: of (?:the |all |any |all the )?(?:speakers?|music|lights?|lamps?|heating|rooms?))?"
)
_BOUND = r"(?P<n>[\d.]+ ?(?:percent|%|degrees)) or (?:(?P<most>lower|less|below|under)|higher|more|above|over)\.?$"
_KEPT = (
    re.compile(rf"^(?:please )?(?:always )?keep {_SETTING} at {_BOUND}", re.IGNORECASE),
    re.compile(rf"^{_SETTING} (?:must|should|has to) (?:stay|be|remain|be kept) at {_BOUND}", re.IGNORECASE),
)


def with_named_rooms(text: str, toolbox: Toolbox) -> str:
    """Return a sentence with the names of areas and bounds of settings. "In every room" limits nothing."""
    for pattern in _KEPT:
        text = pattern.sub(
            lambda found: f"Never set the {found['a']} {'above' if found['most'] else 'below'} {found['n']}", text
        )
    args = {(one, arg) for one in toolbox.tools for arg in one.tool.args if arg.lower() in ROOM_NOUNS}
    nouns = {arg.lower() for one, arg in args if one.takes_one_text(arg) and not one.reads and arg not in one.listed}
    if len(nouns) != 1:
        return text
    plain = _WHOLE_HOUSE.sub("", _ALL.sub("", text))
    return _IN.sub(lambda found: f'{found["in"]} the {min(nouns)} "{found["room"].lower()}"', plain)
