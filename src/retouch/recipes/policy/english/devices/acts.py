"""What the tools of a home do to which devices, and with which arguments: `HassTurnOff` unlocks a lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from retouch.recipes.policy.english.words.lexicon import READ
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from retouch.recipes.policy.english.devices.things import Device
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.tools.toolbox import Toolbox

Deed: TypeAlias = Literal[
    "on", "off", "open", "close", "lock", "unlock", "control", "start", "dock", "play", "pause", "skip", "volume",
    "light", "temperature", "position", "speed", "announce", "add", "complete", "remove", "timer",
]  # fmt: skip
_COVERS = ("cover", "valve")
_MOVED = (*_COVERS, "lock")
_ANY = ("*",)
# The tools of Home Assistant's Assist, each with the domains of the devices that it is for. `*`: any device.
_DOMAINS_OF: Mapping[str, tuple[str, ...]] = {
    "HassTurnOn": _ANY,
    "HassTurnOff": _ANY,
    "HassToggle": _ANY,
    "HassSetPosition": _COVERS,
    "HassStopMoving": _COVERS,
    "HassOpenCover": ("cover",),
    "HassCloseCover": ("cover",),
    "HassLightSet": ("light",),
    "HassFanSetSpeed": ("fan",),
    "HassClimateSetTemperature": ("climate",),
    "HassHumidifierSetpoint": ("humidifier",),
    "HassHumidifierMode": ("humidifier",),
    "HassMediaSearchAndPlay": ("media_player",),
    "HassMediaPause": ("media_player",),
    "HassMediaUnpause": ("media_player",),
    "HassMediaNext": ("media_player",),
    "HassMediaPrevious": ("media_player",),
    "HassMediaPlayerMute": ("media_player",),
    "HassMediaPlayerUnmute": ("media_player",),
    "HassSetVolume": ("media_player",),
    "HassSetVolumeRelative": ("media_player",),
    "HassVacuumStart": ("vacuum",),
    "HassVacuumReturnToBase": ("vacuum",),
    "HassVacuumCleanArea": ("vacuum",),
    "HassLawnMowerStartMowing": ("lawn_mower",),
    "HassLawnMowerDock": ("lawn_mower",),
}
_OTHERS = frozenset({
    "HassBroadcast", "HassListAddItem", "HassListCompleteItem", "HassListRemoveItem", "HassShoppingListAddItem",
    "HassShoppingListCompleteItem", "HassRespond", "HassNevermind",
})  # fmt: skip
_TIMERS = frozenset({
    "HassStartTimer", "HassCancelTimer", "HassCancelAllTimers", "HassIncreaseTimer", "HassDecreaseTimer",
    "HassPauseTimer", "HassUnpauseTimer",
})  # fmt: skip
_LISTS: Mapping[Deed, tuple[str, ...]] = {
    "announce": ("HassBroadcast",),
    "add": ("HassListAddItem", "HassShoppingListAddItem"),
    "complete": ("HassListCompleteItem", "HassShoppingListCompleteItem"),
    "remove": ("HassListRemoveItem",),
}
SHOPPING_LIST = frozenset({"HassShoppingListAddItem", "HassShoppingListCompleteItem"})
_DOWN = Limit(arg="percentage", at_most=0)
_OPENED, _CLOSED = Limit(arg="position", above=0), Limit(arg="position", below=100)
_DARK = (Limit(arg="brightness", at_most=0), Limit(arg="brightness", state="present"))
# By deed the tools that do it, each with the domains for which it does, and its tests. `also`: what restricts is about
# them as well, and what permits is not.
_Way: TypeAlias = "tuple[str, tuple[str, ...], tuple[Limit, ...]]"
_SWITCHED_ON: tuple[_Way, ...] = (("HassTurnOn", _ANY, ()), ("HassToggle", _ANY, ()))
_WAYS: Mapping[Deed, tuple[_Way, ...]] = {
    "on": _SWITCHED_ON,
    "off": (("HassTurnOff", _ANY, ()), ("HassToggle", _ANY, ())),
    "open": (
        ("HassTurnOn", _COVERS, ()),
        ("HassToggle", _COVERS, ()),
        ("HassSetPosition", _COVERS, (_OPENED,)),
        ("HassOpenCover", ("cover",), ()),
    ),
    "close": (
        ("HassTurnOff", _COVERS, ()),
        ("HassToggle", _COVERS, ()),
        ("HassSetPosition", _COVERS, (_CLOSED,)),
        ("HassCloseCover", ("cover",), ()),
    ),
    "lock": (("HassTurnOn", ("lock",), ()), ("HassToggle", ("lock",), ())),
    "unlock": (("HassTurnOff", ("lock",), ()), ("HassToggle", ("lock",), ())),
    "start": (
        ("HassVacuumStart", ("vacuum",), ()),
        ("HassVacuumCleanArea", ("vacuum",), ()),
        ("HassLawnMowerStartMowing", ("lawn_mower",), ()),
    ),
    "dock": (("HassVacuumReturnToBase", ("vacuum",), ()), ("HassLawnMowerDock", ("lawn_mower",), ())),
    "play": (("HassMediaSearchAndPlay", ("media_player",), ()),),
    "pause": (("HassMediaPause", ("media_player",), ()),),
    "skip": (("HassMediaNext", ("media_player",), ()), ("HassMediaPrevious", ("media_player",), ())),
    "volume": (("HassSetVolume", ("media_player",), ()), ("HassSetVolumeRelative", ("media_player",), ())),
    "light": (("HassLightSet", ("light",), ()),),
    "temperature": (("HassClimateSetTemperature", ("climate",), ()),),
    "position": (("HassSetPosition", _COVERS, ()),),
    "speed": (("HassFanSetSpeed", ("fan",), ()),),
}
_ALSO: Mapping[Deed, tuple[_Way, ...]] = {
    "on": (
        ("HassLightSet", ("light",), ()),
        ("HassFanSetSpeed", ("fan",), (Limit(arg="percentage", above=0),)),
        ("HassVacuumStart", ("vacuum",), ()),
        ("HassVacuumCleanArea", ("vacuum",), ()),
        ("HassLawnMowerStartMowing", ("lawn_mower",), ()),
        ("HassHumidifierSetpoint", ("humidifier",), ()),
        ("HassHumidifierMode", ("humidifier",), ()),
    ),
    "off": (("HassLightSet", ("light",), _DARK), ("HassFanSetSpeed", ("fan",), (_DOWN,))),
    "open": (("HassTurnOff", ("lock",), ()), ("HassToggle", ("lock",), ())),
    "start": (
        ("HassTurnOn", ("vacuum", "lawn_mower"), ()),
        ("HassToggle", ("vacuum", "lawn_mower"), ()),
    ),
    "play": (("HassMediaUnpause", ("media_player",), ()),),
    "pause": (("HassTurnOff", ("media_player",), ()), ("HassToggle", ("media_player",), ())),
}


@dataclass(frozen=True, kw_only=True)
class Use:
    """A tool that does something to devices of some domains, with the tests of its own arguments.

    `chooses`: a call may name the domain. Otherwise all that it reaches is of these domains.
    """

    one: KnownTool
    domains: tuple[str, ...]
    where: tuple[Limit, ...] = ()
    chooses: bool = True


def tools_of_home(toolbox: Toolbox) -> tuple[KnownTool, ...]:
    """Return the tools that control devices by name, area and domain, as Assist has them. () if there are none."""
    own = [one for one in toolbox.tools if one.tool.name in {*_DOMAINS_OF, *_OTHERS, *_TIMERS}]
    known = [one for one in own if {"name", "area"} <= {*one.tool.args}]
    return tuple(own) if len(known) > 1 and len({one.tool.server for one in toolbox.tools}) == 1 else ()


def has_strange_tool(toolbox: Toolbox) -> bool:
    """Return whether a tool may control devices in another way, such as a script."""
    known = {*_DOMAINS_OF, *_OTHERS, *_TIMERS}
    others = (one for one in toolbox.tools if one.tool.name not in known)
    return not all(one.reads or not READ.isdisjoint(one.words) for one in others)


def uses(tools: tuple[KnownTool, ...], deed: Deed, device: Device, *, restricts: bool) -> Iterator[Use]:
    """Yield the tools that do something to devices. `restricts`: also those that may do it in another way."""
    if deed == "control":
        yield from _controlling(tools, device)
        return
    for name, domains, where in (*_WAYS.get(deed, ()), *(_ALSO.get(deed, ()) if restricts else ())):
        if name == "HassToggle" and not restricts:
            continue
        one = next((each for each in tools if each.tool.name == name), None)
        meant = _meant(deed, domains, device)
        if one is not None and meant:
            yield Use(one=one, domains=meant, where=where, chooses=_DOMAINS_OF[name] == _ANY)


def _meant(deed: Deed, domains: tuple[str, ...], device: Device) -> tuple[str, ...]:
    """Return the domains of devices that a tool reaches by a deed. A lock or cover is not turned on."""
    own = (*device.domains, *(("lock",) if device.family in {"door", "gate", "garage"} else ()))
    if device.family is None:
        return domains
    if domains == _ANY:
        return tuple(one for one in own if one not in _MOVED)
    if deed == "open" and device.family == "garage":
        own = device.domains
    return tuple(one for one in own if one in domains)


def _controlling(tools: tuple[KnownTool, ...], device: Device) -> Iterator[Use]:
    own = (*device.domains, *(("lock",) if device.family in {"door", "gate"} else ()))
    for one in tools:
        domains = _DOMAINS_OF.get(one.tool.name, ())
        if one.tool.name == "HassCancelAllTimers" and device.family is None:
            yield Use(one=one, domains=_ANY, chooses=False)
        elif domains == _ANY:
            yield Use(one=one, domains=own or _ANY)
        elif domains and (not own or {*own} & {*domains}):
            yield Use(one=one, domains=tuple(each for each in domains if not own or each in own), chooses=False)


def others(tools: tuple[KnownTool, ...], deed: Deed) -> tuple[KnownTool, ...]:
    """Return the tools for announcements, lists or timers that do something."""
    names = _TIMERS if deed == "timer" else _LISTS.get(deed, ())
    return tuple(one for one in tools if one.tool.name in names)
