"""Reads numbers that devices are set to: "above 22 degrees", "between 17 and 22", "more than halfway"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.devices.things import Device, device_of, rooms_of

if TYPE_CHECKING:
    from collections.abc import Mapping

Setting: TypeAlias = Literal["temperature", "volume", "position", "light", "speed"]
ARGUMENTS: Mapping[str, str] = {
    "temperature": "temperature", "volume": "volume_level", "position": "position", "light": "brightness",
    "speed": "percentage",
}  # fmt: skip
_UNIT = (
    r"(?: ?(?:percent|per cent|%|degrees?(?: celsius| fahrenheit| c| f)?|\u00b0\s?[cf]?|\u00b0 ?celsius|celsius|"
    r"fahrenheit))?"
)
_NUMBER = rf"(?:\d{{1,3}}(?:\.\d+)?{_UNIT}|halfway(?: open| up| down)?|half(?: open| way)?)"
_OVER = (
    r"(?:above|over|past|beyond|higher than|hotter than|warmer than|louder than|brighter than|more than|greater than|"
    r"faster than|any higher than|in excess of)"
)
_UNDER = r"(?:below|under|beneath|lower than|colder than|cooler than|quieter than|darker than|less than|any lower than)"
_MOST = (
    r"(?:at most|no more than|no higher than|no hotter than|no warmer than|no louder than|no brighter than|not more "
    r"than|not above|not over|up to|at or below|at or under|a maximum of|max(?:imum|\.)?|not higher than)"
)
_LEAST = (
    r"(?:at least|no less than|no lower than|no colder than|not below|not under|not less than|at or above|a minimum of)"
)
_OR_LESS = r"or (?:lower|less|below|under|quieter|cooler)"
_OR_MORE = r"or (?:higher|more|above|warmer|hotter|louder)"
_BEYOND = (
    (re.compile(rf"(?:to )?(?:anything )?{_OVER} (?P<n>{_NUMBER})"), "above"),
    (re.compile(rf"(?:to )?(?:anything )?{_UNDER} (?P<n>{_NUMBER})"), "below"),
    (re.compile(rf"(?:to |at )?(?P<n>{_NUMBER}) {_OR_MORE}"), "at_least"),
    (re.compile(rf"(?:to |at )?(?P<n>{_NUMBER}) {_OR_LESS}"), "at_most"),
)
_WITHIN = (
    (re.compile(rf"(?:at |to )?{_MOST} (?P<n>{_NUMBER})"), "above"),
    (re.compile(rf"(?:at |to )?{_LEAST} (?P<n>{_NUMBER})"), "below"),
    (re.compile(rf"(?:to |at )?(?P<n>{_NUMBER}) {_OR_LESS}"), "above"),
    (re.compile(rf"(?:to |at )?(?P<n>{_NUMBER}) {_OR_MORE}"), "below"),
    (re.compile(rf"{_UNDER} (?P<n>{_NUMBER})"), "at_least"),
    (re.compile(rf"{_OVER} (?P<n>{_NUMBER})"), "at_most"),
)
_RANGE = re.compile(
    rf"(?:to |at )?(?:anything |any (?:value|temperature) )?(?:(?:strictly )?between|(?:in|within) the "
    rf"range(?: of)?|from|"
    rf"somewhere between) (?P<low>{_NUMBER}) (?:and|to) (?P<high>{_NUMBER})"
)
_OUTSIDE = re.compile(
    rf"(?:to |at )?(?:anything )?(?:outside(?: of)?|out of|outside the range(?: of)?)(?: the range(?: of)?)? "
    rf"(?P<low>{_NUMBER}) ?(?:-|\u2013|and|to) ?(?P<high>{_NUMBER})"
)
_NOUNS: Mapping[Setting, str] = {
    "temperature": (
        r"(?:(?:room|target|indoor|inside|heating|house|home) )?temperatures?(?: setpoints?| settings?)?|heating|"
        r"thermostats?|heat|radiators?|heaters?|climate(?: control)?|air con(?:ditioning|ditioner)?s?|"
        r"ac|a/c|aircon|setpoint"
    ),
    "volume": r"(?:(?:music|speaker|speakers|tv|sound|media|audio|playback) )?volume(?: levels?)?|"
    r"(?:sound|noise) level",
    "light": r"(?:(?:light|lights|lamp|lighting)(?:'s|s')? )?brightness(?: levels?)?",
    "speed": r"fan speeds?|(?:the )?speed of (?:the |any |all )?fans?",
    "position": r"(?:(?:blinds?|covers?) )?position",
}
_OF_DEVICE = re.compile(r"(?:the |any |all )?(?P<noun>.+?)(?: (?:of|on|for|from|in) (?P<device>.+))?")
_SOUND = re.compile(
    r"(?:(?:the|any|my|all) )*(?:music|speakers?|tv|television|sonos|radio|sound|audio|stereo|soundbar|"
    r"media(?: players?)?|"
    r"playback|anything)(?P<where> in .+)?"
)


@dataclass(frozen=True)
class SetBound:
    """One side of what a number must not be: `above` 22."""

    side: Literal["above", "below", "at_least", "at_most"]
    number: float

    @property
    def is_upper(self) -> bool:
        """True if it keeps a number from being too high."""
        return self.side in {"above", "at_least"}


def too_far(text: str) -> tuple[SetBound, ...]:
    """Return the bounds of "above 22" and "outside 17 to 22": what is beyond them."""
    match = _OUTSIDE.fullmatch(text)
    if match is not None:
        return SetBound("below", _value(match["low"])), SetBound("above", _value(match["high"]))
    return _one_bound(text, _BEYOND)


def kept_within(text: str) -> tuple[SetBound, ...]:
    """Return the bounds of "between 17 and 22", "at 40 or lower" and "below 22": what is not within them."""
    match = _RANGE.fullmatch(text)
    if match is not None:
        low, high = _value(match["low"]), _value(match["high"])
        return (SetBound("below", low), SetBound("above", high)) if low < high else ()
    both = re.fullmatch(r"(.+?),? (?:and|but) (.+)", text)
    if both is not None:
        first, second = _one_bound(both[1], _WITHIN), _one_bound(both[2], _WITHIN)
        return (*first, *second) if first and second and first[0].is_upper is not second[0].is_upper else ()
    return _one_bound(text, _WITHIN)


def _one_bound(text: str, forms: tuple[tuple[re.Pattern[str], str], ...]) -> tuple[SetBound, ...]:
    for pattern, side in forms:
        match = pattern.fullmatch(text)
        if match is not None and side in {"above", "below", "at_least", "at_most"}:
            return (SetBound(side, _value(match["n"])),)  # pyright: ignore[reportArgumentType]
    return ()


def _value(text: str) -> float:
    found = re.match(r"[\d.]+", text)
    return float(found[0].rstrip(".")) if found else 50.0


def setting_of(text: str) -> tuple[Setting, Device] | None:
    """Return the setting that words name, with the devices: "the heating", "the volume of the kitchen speaker"."""
    match = _OF_DEVICE.fullmatch(text)
    noun = match["noun"] if match else ""
    for setting, nouns in _NOUNS.items():
        place, own = _placed(noun, nouns)
        if own:
            return _with_device(setting, place, match["device"] if match else None)
    device = device_of(text)
    if device is not None and device.family == "climate":
        return "temperature", device
    return None


def _placed(noun: str, nouns: str) -> tuple[tuple[str, ...], bool]:
    """Return the room before a noun, and whether it is one of the nouns."""
    if re.fullmatch(nouns, noun):
        return (), True
    match = re.fullmatch(rf"(?P<room>.+?) (?:{nouns})", noun)
    rooms = rooms_of(match["room"]) if match else ()
    return rooms, bool(rooms)


_PLAIN: Mapping[Setting, Device] = {
    "temperature": Device(family="climate", domains=("climate",), noun="heat"),
    "volume": Device(family="speaker", domains=("media_player",), noun="music"),
    "light": Device(family="light", domains=("light",), noun="light"),
    "speed": Device(family="fan", domains=("fan",), noun="fan"),
    "position": Device(family="blind", domains=("cover",), noun="blind"),
}
_DEVICE_NOUNS = re.compile(
    r"(?:(?:the|any|all|my|all the|any of the) )?(?:music|sound|media|heating|room|house|home|"
    r"thermostats?|air conditioning|"
    r"lights?|lamps?|speakers?|media players?|whole house)"
)


def _with_device(setting: Setting, rooms: tuple[str, ...], text: str | None) -> tuple[Setting, Device] | None:
    plain = _PLAIN[setting]
    if text is None or _DEVICE_NOUNS.fullmatch(text):
        return setting, _in(plain, rooms)
    more = rooms_of(text)
    if more and not rooms:
        return setting, _in(plain, more)
    device = device_of(text)
    if device is None or rooms or not {*device.domains} & {*plain.domains}:
        return None
    return setting, device


def _in(device: Device, rooms: tuple[str, ...]) -> Device:
    return Device(family=device.family, domains=device.domains, noun=device.noun, rooms=rooms)


def moved_setting(text: str) -> tuple[Setting, Device, str] | None:
    """Return the setting of "set the heating above 22", "open blinds more than halfway" or "play music louder than 30".

    With it come the words of the number.
    """
    for pattern in _MOVED:
        match = pattern.fullmatch(text)
        if match is None:
            continue
        what, rest = match["what"], match["rest"]
        found = setting_of(what)
        if found is None:
            found = _by_device(text.split(" ", maxsplit=1)[0], what, rest)
        if found is not None:
            return *found, rest
    return None


_BOUND_START = rf"(?:{_OVER}|{_UNDER}|{_MOST}|{_LEAST}|outside|out of|between|{_NUMBER} or)"
_MOVED = (
    re.compile(
        r"(?:set|turn|raise|put|crank|adjust|change|increase|bring|heat|push|lower|reduce|drop|decrease|let|move|open|close|play|"
        rf"turn up|turn down|dim|cool|keep|warm|run) (?:(?:up|down) )?(?P<what>.+?)(?: up| down| go| "
        rf"get| rise| drop)?(?: (?:to|at))?(?: anything)? (?P<rest>{_BOUND_START}.*)"
    ),
)


def sound_of(text: str) -> Device | None:
    """Return what is loud: "the music", "the speakers in the kitchen"."""
    match = _SOUND.fullmatch(text)
    if match is None:
        return None
    rooms = rooms_of(match["where"].removeprefix(" in ")) if match["where"] else ()
    return None if match["where"] and not rooms else _in(_PLAIN["volume"], rooms)


def _by_device(verb: str, what: str, rest: str) -> tuple[Setting, Device] | None:
    """Return the setting that a verb changes of some devices: the position of blinds, the volume of speakers."""
    device = device_of(what)
    rooms = rooms_of(what)
    if rooms and (
        verb in {"heat", "cool", "warm"} or re.search(r"degrees?|\u00b0|celsius|warmer|hotter|colder|cooler", rest)
    ):
        return "temperature", _in(_PLAIN["temperature"], rooms)
    sound = sound_of(what)
    if sound is not None and (verb in {"turn", "play", "crank", "set", "put"} or "loud" in rest or "quiet" in rest):
        return "volume", sound
    if device is None:
        return None
    if device.domains == ("cover",) and verb in {"open", "raise", "set", "move", "close", "lower", "put"}:
        return "position", device
    if device.family == "light" and ("bright" in rest or "dark" in rest or verb in {"dim", "set", "turn"}):
        return "light", device
    if device.family == "fan":
        return "speed", device
    return None
