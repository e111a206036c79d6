"""Writes rooms and settings of devices as the readers know them.

"In the nursery" is 'in the area "nursery"', if the tools take the area of a device, and "keep the volume at 40 percent
or lower" is "never set the volume above 40 percent".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words import idioms
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
_BOUND = r"(?P<n>[\d.]+(?: ?(?:percent|%|degrees))?) or (?:(?P<most>lower|less|below|under)|higher|more|above|over)\.?$"
_KEPT = (
    re.compile(rf"^(?:please )?(?:always )?keep {_SETTING} at {_BOUND}", re.IGNORECASE),
    re.compile(rf"^{_SETTING} (?:must|should|has to) (?:stay|be|remain|be kept) at {_BOUND}", re.IGNORECASE),
)

_LIGHTS = r"(?:(?:any|all|all of|some)? ?(?:the |my |our )?)(?:lights|lamps)"
_SWITCHED = (
    (
        re.compile(rf"\b(?:switch|turn) {_LIGHTS} on (?:and|or) off\b(?! and| or|,)", re.IGNORECASE),
        ("turn on", "turn off"),
    ),
    (re.compile(rf"\b(?:switch|turn) (?:on {_LIGHTS}|{_LIGHTS} on)\b(?! and| or|,)", re.IGNORECASE), ("turn on",)),
    (re.compile(rf"\b(?:switch|turn) (?:off {_LIGHTS}|{_LIGHTS} off)\b(?! and| or|,)", re.IGNORECASE), ("turn off",)),
)
_SWITCH = re.compile(rf"\bswitch(?= {_LIGHTS} (?:on|off)\b)", re.IGNORECASE)
_PERMITS = re.compile(idioms.PERMITTING, re.IGNORECASE)
_DIMMED = re.compile(r"\b(?P<on>(?:lights|lamps) on and off),? and dim them\b", re.IGNORECASE)


def with_switched_lights(text: str, toolbox: Toolbox) -> str:
    """Return 'turn on anything in the domain "light"' for lights, if the tools that turn on take any device.

    Only in what permits: a brightness of zero turns a light off, too. To dim lights is up to the tool that turns them
    on, if that takes the brightness and no other one does.
    """
    if _PERMITS.match(text) is None:
        return text
    bright = [one for one in toolbox.tools if any("brightness" in arg.lower() for arg in one.tool.args)]
    if len(bright) == 1 and {"turn_on", "turn_off"} <= {
        value for found in bright[0].listed.values() for value in found
    }:
        text = _SWITCH.sub("turn", _DIMMED.sub(lambda found: found["on"], text))
    switching = [one for one in toolbox.tools if one.verbs <= {"turn on", "turn off"} and not one.core]
    verbs = {verb for one in switching for verb in one.verbs if one.takes_text("domain")}
    for pattern, said in _SWITCHED if len(verbs) == len(switching) > 0 else ():
        if verbs.issuperset(said):
            text = pattern.sub(f'{" and ".join(said)} anything in the domain "light"', text)
    return text


_RESTRICTS = re.compile(
    r"(?:please )?(?:never|don.t|do not|(?:always )?(?:ask|check with)|you (?:must|may|can|should) (?:not|never))\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:only|except|but|besides|other than|apart)\b", re.IGNORECASE)
_DOOR = re.compile(
    r"\b(?P<verb>(?:un)?lock)(?P<ing>ing)? the (?!(?:first|last|other|same|only|next|right|wrong) )(?P<which>[a-z]+) "
    r"door(?=[.,;]?$|,? (?:unless|without|between|before|after) )",
    re.IGNORECASE,
)


def with_named_doors(text: str, toolbox: Toolbox) -> str:
    """Return 'unlock any door whose name contains "front"' for "the front door", in what restricts.

    A permission would have to know how the door is called.
    """
    if _RESTRICTS.match(text) is None or _LIMITED.search(text):
        return text
    found = _DOOR.search(text)
    verb = found["verb"].lower() if found is not None else ""
    doors = [one for one in toolbox.tools if verb in one.verbs and one.head == "door" and one.takes_one_text("name")]
    locks = [
        one
        for one in toolbox.tools
        if one.takes_one_text("entity_id") and any(verb in values for values in one.listed.values())
    ]
    thing = "door whose name" if doors else "lock whose id" if locks else ""
    if found is None or not thing or len(doors) + len(locks) != 1:
        return text
    said = f'{found["verb"]}{found["ing"] or ""} any {thing} contains "{found["which"].lower()}"'
    return f"{text[: found.start()]}{said}{text[found.end() :]}"


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
