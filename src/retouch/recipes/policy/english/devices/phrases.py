"""Reads what is done to devices: "open the garage door", "switching the lights in the hall on and off"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.devices.listed_items import items_in
from retouch.recipes.policy.english.devices.settings import moved_setting, too_far
from retouch.recipes.policy.english.devices.things import Device, device_of, rooms_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.policy.english.devices.acts import Deed
    from retouch.recipes.policy.english.devices.settings import SetBound

_FORMS: Mapping[str, str] = {
    "turn": "turning turned turns", "switch": "switching switched", "open": "opening opened",
    "close": "closing closed", "shut": "shutting", "lock": "locking locked", "unlock": "unlocking unlocked",
    "raise": "raising raised", "lift": "lifting lifted", "lower": "lowering lowered", "roll": "rolling rolled",
    "pull": "pulling pulled", "control": "controlling controlled", "operate": "operating operated",
    "use": "using used", "manage": "managing managed", "handle": "handling handled", "touch": "touching touched",
    "change": "changing changed", "adjust": "adjusting adjusted", "mess": "messing messed",
    "fiddle": "fiddling fiddled", "interfere": "interfering interfered", "tamper": "tampering tampered",
    "alter": "altering altered", "activate": "activating activated", "deactivate": "deactivating deactivated",
    "enable": "enabling enabled", "disable": "disabling disabled", "toggle": "toggling toggled",
    "dim": "dimming dimmed", "brighten": "brightening brightened", "play": "playing played",
    "pause": "pausing paused", "stop": "stopping stopped", "skip": "skipping skipped", "run": "running ran",
    "start": "starting started", "launch": "launching launched", "send": "sending sent", "set": "setting",
    "broadcast": "broadcasting broadcasted", "announce": "announcing announced", "make": "making made",
    "add": "adding added", "put": "putting", "tick": "ticking ticked", "check": "checking checked",
    "cross": "crossing crossed", "complete": "completing completed", "remove": "removing removed",
    "delete": "deleting deleted", "take": "taking taken", "mark": "marking marked", "cancel": "cancelling canceled "
    "cancelled canceling", "vacuum": "vacuuming vacuumed", "hoover": "hoovering hoovered", "disarm": "disarming "
    "disarmed", "arm": "arming armed", "power": "powering powered", "trigger": "triggering triggered",
    "dock": "docking docked", "kill": "killing killed", "cut": "cutting", "do": "doing done", "access":
    "accessing accessed", "keep": "keeping kept", "erase": "erasing erased", "strike": "striking struck",
    "move": "moving moved", "brew": "brewing", "regulate": "regulating regulated", "heat": "heating heated",
    "turn up": "", "mute": "muting muted", "clean": "cleaning cleaned", "mow": "mowing mowed", "crank": "cranking "
    "cranked", "increase": "increasing increased", "decrease": "decreasing decreased", "reduce": "reducing reduced",
    "drop": "dropping dropped", "resume": "resuming resumed", "say": "saying said", "give": "giving given",
}  # fmt: skip
_BASE: Mapping[str, str] = {form: base for base, forms in _FORMS.items() for form in (base, *forms.split())}
_BASES = frozenset(_BASE.values())
_DEEDS: Mapping[str, tuple[Deed, ...]] = {
    "open": ("open",), "raise": ("open",), "lift": ("open",), "close": ("close",), "shut": ("close",),
    "lower": ("close",), "lock": ("lock",), "unlock": ("unlock",), "control": ("control",), "operate": ("control",),
    "use": ("control",), "manage": ("control",), "handle": ("control",), "touch": ("control",),
    "change": ("control",), "adjust": ("control",), "alter": ("control",), "access": ("control",),
    "regulate": ("control",), "set": ("control",), "move": ("open", "close"),
    "activate": ("on",), "enable": ("on",), "trigger": ("on",), "start": ("on",), "run": ("on",), "launch": ("on",),
    "deactivate": ("off",), "disable": ("off",), "disarm": ("off",), "kill": ("off",), "stop": ("off",),
    "toggle": ("on", "off"), "dim": ("light",), "brighten": ("light",), "heat": ("temperature",),
    "play": ("play",), "pause": ("pause",), "skip": ("skip",), "mute": ("volume",), "dock": ("dock",),
}  # fmt: skip
_WITH_PARTICLES = frozenset({"turn on", "turn off", "switch on", "switch off", "tick off", "check off", "cross off"})
_CONTROL: tuple[Deed, ...] = ("control",)
_WITH: frozenset[str] = frozenset({"mess", "fiddle", "interfere", "tamper", "play"})
_PARTICLE: Mapping[str, tuple[Deed, ...]] = {
    "on": ("on",), "off": ("off",), "on and off": ("on", "off"), "on or off": ("on", "off"),
    "off and on": ("on", "off"), "off or on": ("on", "off"),
}  # fmt: skip
_ON = r"(?P<on>on (?:and|or) off|off (?:and|or) on|on|off)"
_SWITCHED = (
    re.compile(rf"(?:turn|switch|power|put) {_ON} (?P<what>.+)"),
    re.compile(rf"(?:turn|switch|power|put) (?P<what>.+?) {_ON}(?P<room> (?:in|inside) .+)?"),
    re.compile(r"(?P<on>cut|shut off|shut down)(?: the power (?:to|of))? (?P<what>.+)"),
)
_ROLLED = (
    re.compile(r"(?:roll|pull|put|draw) (?P<on>up|down) (?P<what>.+)"),
    re.compile(r"(?:roll|pull|put) (?P<what>.+?) (?P<on>up|down)"),
)
_MUSIC = re.compile(
    r"(?:(?:any|some|the|your|loud|my) )*(?P<what>music|songs?|audio|media|radio|podcasts?|playlists?|films?|movies|"
    r"videos?|tv shows?|anything)(?: (?:on|through|over|via|from) (?P<where>.+?))?(?: (?:in|inside) (?P<room>[^,]+))?"
)
_AROUND = (
    r"(?: (?:in|inside|around|to|throughout|across|through|over|at|on) (?:the )?(?:whole |entire )?(?:house|home|"
    r"family|rooms?|everyone|speakers?))*"
)
_ANNOUNCED = re.compile(
    rf"(?:(?:broadcast|announce)(?: (?:anything|something|messages?|a message|any messages?|announcements?))?|"
    rf"(?:make|do|send|play|use|give|trigger|start)(?: out)? (?:(?:any|an|a|the|voice|public) "
    rf")*(?:announcements?|broadcasts?|"
    rf"broadcast messages?)|(?:announcements?|broadcasts?)|(?:use|touch) the (?:broadcast|intercom)(?: tool)?){_AROUND}"
)
_VACUUM = re.compile(
    r"(?:vacuum|hoover|clean the floors?|(?:run|start|launch|use|send(?: out)?|operate|turn on|activate|switch on) "
    r"(?:the |my |our |any |a )?(?:robot |smart )?(?:vacuums?|vacuum cleaner|hoover|roomba|roborock|vacuum robot|robot "
    r"cleaner|robovac|robot))(?: on| up)?(?: (?:(?:in|inside) )?(?P<room>(?:the|any|my|our|all) .+|anything|anywhere|"
    r"any rooms?))?"
)
_MOW = re.compile(
    r"(?:mow(?: the (?:lawn|grass))?|(?:run|start|use|launch) (?:the |my |our |any )?(?:robot |lawn )*(?:lawn)?mower)"
)
_DOCK = re.compile(
    r"(?:dock|send|return) (?:the |my )?(?:robot )?(?:vacuum|roomba|hoover|vacuum cleaner)(?: (?:back|home|to .+))*"
)
_TIMERS = re.compile(
    r"(?P<verb>cancel|stop|delete|remove|clear|set|start|touch|change) (?:(?:any|all|the|my|of|running|a) )*timers?"
)


@dataclass(frozen=True, kw_only=True)
class HomeDeed:
    """What is done: deeds, and the devices. `music`: only sound is played. `bounds` are the numbers that are set.

    `lists` are the names of the to-do lists of which items are changed, empty for any, None for those of an earlier
    phrase.
    """

    deeds: tuple[Deed, ...]
    device: Device = Device(family=None)
    music: bool = False
    bounds: tuple[SetBound, ...] = ()
    lists: tuple[str, ...] | None = ()


def acts_in(text: str) -> tuple[HomeDeed, ...]:
    """Return what is done by a verb phrase: "open the garage or unlock any door". () if a word of it is not known."""
    parts = _parts(_in_base_form(text.strip()))
    whole = _act(_in_base_form(text.strip()))
    if whole is not None:
        return (whole,)
    return _joined(parts) if len(parts) > 1 else ()


def _parts(text: str) -> list[str]:
    return [one for one in re.split(r",? (?:and|or|nor) (?!off\b|on\b|down\b|up\b)|, ", text) if one]


def _joined(parts: list[str]) -> tuple[HomeDeed, ...]:
    """Return what several phrases do: a verb may be for several objects, and an object for several verbs."""
    found: list[HomeDeed] = []
    waiting: list[str] = []
    verb = ""
    for part in parts:
        own = _in_base_form(part)
        first = own.partition(" ")[0]
        if own in _BASES or own in _WITH_PARTICLES:
            waiting.append(own)
            continue
        if first not in _BASES and verb:
            own = f"{verb} {own}"
        done = _act(own)
        if done is None:
            return ()
        verb = _verb_of(own)
        before = [_act(f"{one}{own.removeprefix(verb)}") for one in waiting]
        if any(one is None for one in before) or (before and not verb):
            return ()
        found += [*(one for one in before if one is not None), done]
        waiting = []
    return tuple(found) if not waiting else ()


def _verb_of(text: str) -> str:
    """Return the verb of a phrase with its particle, if its object follows: `turn on`."""
    match = re.match(r"(?:turn|switch) (?:on (?:and|or) off|on|off)(?= )", text)
    first = text.partition(" ")[0]
    return match[0] if match else first if first in _BASES and first not in {"turn", "switch"} else ""


def _in_base_form(text: str) -> str:
    first, _, rest = text.partition(" ")
    base = _BASE.get(first, first)
    return f"{base} {rest}".strip()


def _act(text: str) -> HomeDeed | None:
    for read in (_announced, _vacuumed, _timed, _listed, _set, _played, _switched, _simple):
        done = read(text)
        if done is not None:
            return done
    return None


def _announced(text: str) -> HomeDeed | None:
    return HomeDeed(deeds=("announce",)) if _ANNOUNCED.fullmatch(text) else None


def _vacuumed(text: str) -> HomeDeed | None:
    if _MOW.fullmatch(text):
        return HomeDeed(deeds=("start",), device=Device(family="mower", domains=("lawn_mower",), noun="mower"))
    device = Device(family="vacuum", domains=("vacuum",), noun="vacuum")
    if _DOCK.fullmatch(text):
        return HomeDeed(deeds=("dock",), device=device)
    match = _VACUUM.fullmatch(text)
    if match is None:
        return None
    if match["room"] and match["room"] not in {"the house", "the whole house", "anything", "anywhere", "any room"}:
        rooms = rooms_of(match["room"])
        return HomeDeed(deeds=("start",), device=replace(device, rooms=rooms)) if rooms else None
    return HomeDeed(deeds=("start",), device=device)


def _timed(text: str) -> HomeDeed | None:
    return HomeDeed(deeds=("timer",)) if _TIMERS.fullmatch(text) else None


def _listed(text: str) -> HomeDeed | None:
    found = items_in(text)
    return None if found is None else HomeDeed(deeds=found[0], lists=found[1])


def _set(text: str) -> HomeDeed | None:
    """Return what "set the heating above 22" does. To open something by a number is to set its position."""
    found = moved_setting(text)
    bounds = found and too_far(found[2])
    return HomeDeed(deeds=(found[0],), device=found[1], bounds=bounds) if found and bounds else None


def _played(text: str) -> HomeDeed | None:
    match = re.fullmatch(rf"(?:play|start|put on|start playing|stream|blast) {_MUSIC.pattern}", text)
    if match is None:
        return None
    device = Device(family="speaker", domains=("media_player",), noun="music")
    if match["where"]:
        found = device_of(match["where"])
        if found is None or found.domains != ("media_player",):
            return None
        device = found
    rooms = rooms_of(match["room"]) if match["room"] else device.rooms
    if match["room"] and (not rooms or device.rooms):
        return None
    sound = match["what"] not in {
        "anything",
        "media",
        "video",
        "videos",
        "film",
        "films",
        "movies",
        "tv show",
        "tv shows",
    }
    return HomeDeed(deeds=("play",), device=replace(device, family="speaker", rooms=rooms), music=sound)


def _switched(text: str) -> HomeDeed | None:
    for pattern in _SWITCHED:
        match = pattern.fullmatch(text)
        device = match and device_of(f"{match['what']}{match.groupdict().get('room') or ''}")
        if match and device:
            return HomeDeed(deeds=_PARTICLE.get(match["on"], ("off",)), device=device)
    for pattern in _ROLLED:
        match = pattern.fullmatch(text)
        device = match and device_of(match["what"])
        if match and device and device.domains == ("cover",):
            return HomeDeed(deeds=("open",) if match["on"] == "up" else ("close",), device=device)
    return None


def _simple(text: str) -> HomeDeed | None:
    verb, _, rest = text.partition(" ")
    deeds: tuple[Deed, ...] | None = _DEEDS.get(verb)
    if verb in _WITH and rest.startswith(("with ", "around with ")):
        rest, deeds = rest.partition("with ")[2], _CONTROL
    if verb == "do" and rest.startswith(("anything to ", "anything with ", "anything in ")):
        rest = rest if rest.startswith("anything in ") else rest.split(" ", 2)[2]
        deeds = _CONTROL
    device = device_of(rest) if deeds else None
    return _fitting(deeds, device) if deeds and device else None


def _fitting(deeds: tuple[Deed, ...], device: Device) -> HomeDeed | None:
    """Return deeds as what they mean for devices: a vacuum is started, and to stop music is to pause it."""
    if deeds == ("on",) and device.family in {"vacuum", "mower"}:
        deeds = ("start",)
    if deeds == ("off",) and device.family in {"speaker", "tv"} and device.noun == "music":
        deeds = ("pause",)
    if device.family is None and {"lock", "unlock"} & {*deeds}:
        device = replace(device, family="door", domains=("cover",), noun="door")
    opened = {"open", "close"} & {*deeds}
    if opened and device.family not in {"blind", "garage", "gate", "door", "window"}:
        return None
    if {"lock", "unlock"} & {*deeds} and device.family not in {"door", "gate", "garage"}:
        return None
    if deeds == ("light",) and device.family != "light":
        return None
    if deeds in {("play",), ("skip",), ("volume",), ("pause",)} and device.domains != ("media_player",):
        return None
    return HomeDeed(deeds=deeds, device=device)
