"""Which calls reach some devices: tests of the name, the area, the domain and the device class of a call.

What restricts is about every call that may reach them: an argument that is left out excludes nothing, and a name only
excludes what it speaks of another device. What permits is about calls that certainly reach nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.devices.things import LIGHTS, ROOM_WORDS
from retouch.recipes.policy.english.limits.argument_tests import part_of
from retouch.recipes.policy.english.words.names import room_spellings
from retouch.recipes.policy.language.values import Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from retouch.recipes.policy.english.devices.acts import Use
    from retouch.recipes.policy.english.devices.things import Device
    from retouch.recipes.policy.english.tools.known_tools import KnownTool
    from retouch.recipes.policy.english.words.sentences import ToolPart

_INITIALS = frozenset({"tv", "ac", "pc"})


@dataclass(frozen=True, kw_only=True)
class ReachCase:
    """One of several cases in which a call reaches devices: its tests, and patterns of names that exclude it.

    `guard` are tests of which arguments a call gives. The guards of several cases exclude each other. `never`: a call
    of this case is not certain to reach only these devices.
    """

    guard: tuple[Limit, ...] = ()
    tests: tuple[Limit, ...] = ()
    spared: tuple[str, ...] = ()
    never: bool = False

    def __or__(self, other: ReachCase) -> ReachCase:
        return ReachCase(
            guard=tuple(dict.fromkeys((*self.guard, *other.guard))),
            tests=tuple(dict.fromkeys((*self.tests, *other.tests))),
            spared=tuple(dict.fromkeys((*self.spared, *other.spared))),
            never=self.never or other.never,
        )


def restricting(use: Use, device: Device) -> Iterator[ToolPart]:
    """Yield the calls of a tool that may reach devices."""
    for case in _restricted(use, device):
        yield _part(use, (*case.guard, *case.tests), case.spared)


def permitting(use: Use, device: Device) -> Iterator[ToolPart]:
    """Yield the calls of a tool that certainly reach no other devices."""
    for case in _permitted(use, device):
        if not case.never:
            yield part_of(use.one, where=(*use.where, *case.guard, *case.tests))


def beyond(use: Use, device: Device) -> Iterator[ToolPart]:
    """Yield all calls of a tool but those that certainly reach no other devices."""
    for case in _permitted(use, device):
        unless = () if case.never else (*use.where, *case.tests)
        if case.never or unless:
            yield part_of(use.one, where=case.guard, unless=unless)


def elsewhere(use: Use, device: Device) -> Iterator[ToolPart]:
    """Yield the calls of a tool that may reach such devices in other rooms than those of the device."""
    rooms = tuple(_in_rooms(use.one, device.rooms))
    for case in _restricted(use, replace(device, rooms=())):
        for room in rooms:
            where = tuple(dict.fromkeys((*use.where, *case.guard, *room.guard, *case.tests)))
            names = [each for test in room.tests if test.arg == "name" for each in test.like]
            areas = tuple(test for test in room.tests if test.arg != "name")
            patterns = tuple(dict.fromkeys((*_patterns(case.spared), *names)))
            unless = areas or ((Limit(arg="name", like=patterns),) if patterns else ())
            yield part_of(use.one, where=where, unless=unless)


def _part(use: Use, where: tuple[Limit, ...], spared: tuple[str, ...]) -> ToolPart:
    unless = (Limit(arg="name", like=_patterns(spared)),) if spared else ()
    return part_of(use.one, where=tuple(dict.fromkeys((*use.where, *where))), unless=unless)


def _patterns(patterns: Iterable[str]) -> tuple[str, ...]:
    """Return patterns of names in small letters and with capitals."""
    return tuple(dict.fromkeys(each for one in patterns for each in (one, _title(one))))


def _title(pattern: str) -> str:
    stars = "*" if pattern.startswith("*") else ""
    words = pattern.removeprefix("*").split(" ")
    return stars + " ".join(one.upper() if one in _INITIALS else one.capitalize() for one in words)


def _given(arg: str, *, is_given: bool = True) -> Limit:
    return Limit(arg=arg, state="present" if is_given else "absent")


def _restricted(use: Use, device: Device) -> Iterator[ReachCase]:
    for named, room in product(_of_names(use, device), _of_rooms(use.one, device)):
        for kind in _of_kind(use, device, named=bool(named.tests)):
            whole = kind | named | room
            if _can_be(whole):
                yield whole


def _can_be(case: ReachCase) -> bool:
    """Return whether no argument is both given and left out."""
    tests = (*case.guard, *case.tests)
    absent = {one.arg for one in tests if one.state == "absent"}
    return absent.isdisjoint(one.arg for one in tests if one.state == "present")


def _of_kind(use: Use, device: Device, *, named: bool) -> Iterator[ReachCase]:
    """Yield the calls that may reach devices of this kind, by the domain, the class and the name.

    `named`: the name has the word of a device, so that "Freezer Plug" may be the freezer.
    """
    args = use.one.tool.args
    classes = _classes(use, device)
    own = named and device.is_named
    same = () if own else _endings(device.other_names(use.domains))
    if not use.chooses or "domain" not in args or use.domains == ("*",):
        yield ReachCase(tests=classes, spared=same)
        return
    other = LIGHTS if own and "light" not in use.domains else () if own else device.other_names()
    yield ReachCase(guard=(_given("domain"),), tests=(Limit(arg="domain", among=use.domains), *classes), spared=same)
    yield ReachCase(guard=(_given("domain", is_given=False),), tests=classes, spared=_endings(other))


def _classes(use: Use, device: Device) -> tuple[Limit, ...]:
    """Return the test of the class of covers and media players, if a call can give it."""
    if "device_class" not in use.one.tool.args or "lock" in use.domains or not device.classes:
        return ()
    known = _item_values(use.one, "device_class")
    classes = tuple(one for one in device.classes if not known or one in known)
    return (Limit(arg="device_class", among=classes),) if classes else ()


def _item_values(one: KnownTool, arg: str) -> tuple[str, ...]:
    """Return the values that a list of texts can have by the tool's schema. () if it can have any."""
    items = one.schema_of(arg).get("items")
    listed = items.get("enum") if isinstance(items, dict) else None
    return tuple(value for value in listed if isinstance(value, str)) if isinstance(listed, list) else ()


def _endings(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"*{one}" for one in names if not any(one != other and one.endswith(other) for other in names))


def _of_names(use: Use, device: Device) -> Iterator[ReachCase]:
    """Yield the calls that may be about a device with a name: those with its words, and those that name no other."""
    if not device.which or "name" not in use.one.tool.args:
        yield ReachCase()
        return
    places = tuple(f"*{one}*" for one in device.other_places)
    yield ReachCase(tests=(_given("name"), Limit(arg="name", like=tuple(f"*{one}*" for one in device.which))))
    yield ReachCase(spared=places)


def _of_rooms(one: KnownTool, device: Device) -> Iterator[ReachCase]:
    """Yield the calls that may be about a room: those that name it, and those that name none."""
    if not device.rooms or "area" not in one.tool.args:
        yield ReachCase()
        return
    yield ReachCase(guard=(_given("area"),), tests=(Limit(arg="area", among=room_spellings(device.rooms)),))
    other = tuple(f"*{word}*" for word in ROOM_WORDS if not any(word in room or room in word for room in device.rooms))
    absent = _given("area", is_given=False)
    if "name" not in one.tool.args:
        yield ReachCase(guard=(absent,))
        return
    yield ReachCase(guard=(absent,), spared=other)
    named = Limit(arg="name", like=tuple(f"*{room}*" for room in device.rooms))
    yield ReachCase(tests=(_given("name"), named))


def _permitted(use: Use, device: Device) -> Iterator[ReachCase]:
    for cases in product(_sure_kind(use, device), _sure_name(use.one, device), _in_rooms(use.one, device.rooms)):
        whole = ReachCase()
        for one in cases:
            whole |= one
        yield whole


def _sure_kind(use: Use, device: Device) -> Iterator[ReachCase]:
    """Yield the calls that certainly reach devices of a kind only: by the domain or class, or else by the name."""
    lock = use.domains == ("lock",)
    if device.family is None:
        yield ReachCase()
    elif device.classes and not device.which and not lock:
        yield from _sure_class(use, device)
    elif not use.chooses or "domain" not in use.one.tool.args:
        yield ReachCase()
    else:
        absent = (_given("domain", is_given=False),)
        names = ("lock", "locks") if lock else device.names
        yield ReachCase(guard=(_given("domain"),), tests=(Limit(arg="domain", among=use.domains),))
        yield ReachCase(
            guard=absent, tests=() if device.which else (Limit(arg="name", like=_patterns(_endings(names))),)
        )


def _sure_class(use: Use, device: Device) -> Iterator[ReachCase]:
    """Yield the calls that certainly reach covers or media players of a family: by the class, or else by the name."""
    named = Limit(arg="name", like=_patterns(_endings(device.names)))
    classes = _classes(use, device)
    if not classes:
        yield ReachCase(tests=(named,))
        return
    yield ReachCase(guard=(_given("device_class"),), tests=classes)
    yield ReachCase(guard=(_given("device_class", is_given=False),), tests=(named,))


def _sure_name(one: KnownTool, device: Device) -> Iterator[ReachCase]:
    """Yield the calls with the name of a device: "Front Door", "Front Door Lock"."""
    if not device.which:
        yield ReachCase()
        return
    ends = (
        ("", " door") if device.family == "garage" else ("",) if device.family == "appliance" else (f" {device.noun}",)
    )
    words = [f"{device.which[0]}{end}" for end in ends]
    named = Limit(arg="name", like=_patterns((*words, *(f"{each} *" for each in words))))
    yield ReachCase(tests=(named,), never="name" not in one.tool.args)


def _in_rooms(one: KnownTool, rooms: tuple[str, ...]) -> Iterator[ReachCase]:
    """Yield the calls that are certainly about rooms: by the area, or by a name that begins with it."""
    if not rooms:
        yield ReachCase()
    elif "area" not in one.tool.args:
        yield ReachCase(never=True)
    else:
        yield ReachCase(guard=(_given("area"),), tests=(Limit(arg="area", among=room_spellings(rooms)),))
        named = Limit(arg="name", like=_patterns(tuple(f"{room} *" for room in rooms)))
        yield ReachCase(guard=(_given("area", is_given=False),), tests=(named,), never="name" not in one.tool.args)
