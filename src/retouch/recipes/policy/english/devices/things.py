"""What a home has: devices by their nouns ("the kitchen lights", "any door"), with the names that speak of others.

A call may name a device in words of its own. `Haupteingang` may be the front door, and `Back Door` is not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.english.words.names import ROOM

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_COVER_CLASSES: Mapping[str, tuple[str, ...]] = {
    "blind": ("blind", "shade", "shutter", "curtain", "awning"),
    "garage": ("garage", "door", "gate"),
    "gate": ("gate", "door", "garage"),
    "door": ("door", "garage", "gate"),
    "window": ("window",),
}
# Words at the end of a device's name that tell what it is.
_NAMES: Mapping[str, tuple[str, ...]] = {
    "light": (
        "light", "lights", "lamp", "lamps", "lighting", "bulb", "bulbs", "chandelier", "spotlight", "spotlights",
        "lantern", "lanterns", "nightlight",
    ),
    "blind": (
        "blind", "blinds", "shade", "shades", "shutter", "shutters", "curtain", "curtains", "drapes", "awning",
        "awnings",
    ),
    "garage": ("garage", "garage door", "garage doors"),
    "gate": ("gate", "gates"),
    "door": ("door", "doors", "lock", "locks", "deadbolt", "door lock", "door locks"),
    "window": ("window", "windows", "skylight", "skylights"),
    "climate": (
        "heating", "thermostat", "thermostats", "heater", "heaters", "heat", "radiator", "radiators", "temperature",
        "air conditioning", "air conditioner", "air con", "aircon", "ac", "a/c", "boiler", "heat pump", "climate",
        "climate control", "underfloor heating", "floor heating",
    ),
    "tv": ("tv", "tvs", "television", "televisions", "telly"),
    "speaker": (
        "speaker", "speakers", "music", "radio", "stereo", "soundbar", "sonos", "homepod", "echo", "alexa",
        "receiver", "hi-fi", "media player", "media players",
    ),
    "vacuum": (
        "vacuum", "vacuums", "vacuum cleaner", "robot vacuum", "hoover", "roomba", "roborock", "vacuum robot",
        "robot cleaner", "cleaning robot", "robovac",
    ),
    "mower": ("mower", "lawn mower", "lawnmower", "robot mower", "mowing robot"),
    "fan": ("fan", "fans", "ventilator", "purifier", "air purifier"),
    "plug": ("plug", "plugs", "outlet", "outlets", "socket", "sockets", "switch", "switches"),
    "alarm": ("alarm", "alarms", "alarm system", "burglar alarm", "security system", "siren", "sirens"),
    "appliance": (
        "machine", "coffee machine", "coffee maker", "espresso machine", "washing machine", "maker", "oven", "ovens",
        "stove", "hob", "cooker", "dishwasher", "washer", "dryer", "tumble dryer", "kettle", "toaster", "fridge",
        "freezer", "microwave", "fryer", "air fryer", "iron", "pump", "printer", "computer", "pc", "charger",
        "sprinkler", "sprinklers", "irrigation", "humidifier", "dehumidifier", "water heater", "fireplace", "grill",
        "camera", "cameras", "sauna", "hot tub", "pool pump", "car charger", "wallbox", "console", "router", "doorbell",
    ),
    "scene": ("scene", "scenes"),
    "automation": ("automation", "automations", "script", "scripts"),
}  # fmt: skip
_SWITCHED = (
    "switch", "input_boolean", "climate", "water_heater", "button", "input_button", "script", "automation", "fan",
    "humidifier", "siren", "select", "number", "remote", "valve", "camera", "scene",
)  # fmt: skip
_DOMAINS: Mapping[str, tuple[str, ...]] = {
    "light": ("light",),
    "blind": ("cover",),
    "garage": ("cover",),
    "gate": ("cover",),
    "door": ("cover",),
    "window": ("cover",),
    "climate": ("climate",),
    "tv": ("media_player",),
    "speaker": ("media_player",),
    "vacuum": ("vacuum",),
    "mower": ("lawn_mower",),
    "fan": ("fan",),
    "plug": ("switch", "input_boolean"),
    "alarm": ("alarm_control_panel", "siren", "switch", "input_boolean", "script", "automation", "button", "scene"),
    "appliance": _SWITCHED,
    "scene": ("scene",),
    "automation": ("automation", "script"),
}
_FAMILIES = tuple(_NAMES)
LIGHTS = _NAMES["light"]
_FAMILY_OF: Mapping[str, str] = {name: family for family, names in _NAMES.items() for name in names}
_MOST_WORDS = max(len(name.split()) for name in _FAMILY_OF)
# Words of names of doors that are not the front door, of gates that are not those of the garage, and so on.
_ELSEWHERE = (
    "back", "rear", "side", "shed", "garden", "patio", "balcony", "terrace", "cellar", "basement", "attic", "kitchen",
    "bedroom", "bathroom", "living", "dining", "office", "study", "nursery", "guest", "laundry", "utility", "pantry",
    "closet", "cupboard", "cabinet", "safe", "barn", "pool", "greenhouse", "bike", "mailbox", "letterbox", "storage",
    "workshop", "tool", "garage", "front", "gate", "kids",
)  # fmt: skip
_SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "front": ("front", "main", "entrance", "entry", "street"),
    "main": ("front", "main", "entrance", "entry"),
    "entrance": ("front", "main", "entrance", "entry"),
    "back": ("back", "rear"),
    "rear": ("back", "rear"),
    "cellar": ("cellar", "basement"),
    "basement": ("cellar", "basement"),
    "garden": ("garden", "back", "patio"),
    "patio": ("patio", "garden", "back", "terrace"),
}
_OF_DOORS = frozenset({"door", "gate"})
ROOM_WORDS = (
    "nursery", "kitchen", "bedroom", "bathroom", "hall", "hallway", "corridor", "office", "garage", "cellar",
    "basement", "attic", "garden", "terrace", "patio", "balcony", "living room", "dining room", "guest room", "lounge",
    "study", "playroom", "pantry", "workshop", "library", "landing", "loft", "toilet", "porch", "laundry", "gym",
)  # fmt: skip
_MORE_ROOMS = (
    r"(?:lounge|landing|loft|toilet|porch|laundry|gym|conservatory|entrance|entryway|yard|backyard|driveway|shed|"
    r"home office|(?:[a-z]+ )?bedroom|(?:[a-z]+ )?bathroom|[a-z]+(?:'s?)? (?:bed)?room)"
)
_DETERMINERS = (
    r"(?:(?:all|any|every|each|some|either|both) (?:of )?)?(?:(?:the|my|our|your|a|an|any|other|one of the) )?"
)
_NO_ROOM = re.compile(r"(?:any|every|each|this|that|one|another|same|other|no|which|whole|entire|single)\b")
_ROOM = re.compile(
    rf"{_DETERMINERS}(?P<room>{_MORE_ROOMS}|{ROOM})(?: area)?|(?:{_DETERMINERS}area )?\"(?P<said>[^\"]+)\""
)
_IN = re.compile(r"(?P<what>.+?) (?:in|inside|within|of|from) (?P<room>[^,]+)")
_HOUSE = re.compile(
    r" (?:in|inside|around|of|throughout|at|across) (?:(?:the|my|our|this) )?(?:(?:whole|entire) )?(?:house|home|flat|"
    r"apartment)$"
)
_ANYTHING = re.compile(
    r"(?:anything|everything|something|all|things?|devices?|any (?:of the |other )?(?:devices?|thing)|"
    r"(?:all|every) (?:the |my |our )?(?:devices?|things?|smart devices?)|the (?:smart )?devices)"
)
_SMART = re.compile(r"^(?:smart|electric|electrical|motorised|motorized|robot|automatic) ")
_NOT_A_NAME = word_set(
    "other same only first last next wrong right new old more no not never and or but open closed "
    "locked off on if when "
    "unless while without with by for to from than before after during"
)


@dataclass(frozen=True, kw_only=True)
class Device:
    """Devices: their family, None for all, and their domains. `which` are words of which their names have one.

    `rooms` are the areas they are in. `noun` is the word for them.
    """

    family: str | None
    domains: tuple[str, ...] = ()
    which: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    noun: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        """The device classes of covers and media players of this family. () if any."""
        if self.family == "tv":
            return ("tv",)
        return _COVER_CLASSES.get(self.family or "", ())

    @property
    def names(self) -> tuple[str, ...]:
        """Words at the end of a name that is one of these devices."""
        return _NAMES[self.family] if self.family else ()

    def other_names(self, domains: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return words at the end of a name that tell of another device, of any domain or of one of `domains`."""
        if self.family is None:
            return ()
        doors = self.family in {"garage", "gate"}
        own: set[str] = set() if self.is_named else {self.family, *(("door",) if doors else ())}
        own.update(("tv", "speaker") if self.noun == "music" else ())
        families = (one for one in _FAMILIES if one not in own and (not domains or {*_DOMAINS[one]} & {*domains}))
        found = chain.from_iterable(_NAMES[one] for one in families)
        return tuple(one for one in found if not any(each in one for each in self.which))

    @property
    def is_named(self) -> bool:
        """True if it is a device with a name, and no door: of these, the name must tell another place."""
        return bool(self.which) and self.family not in {*_OF_DOORS, "garage", "alarm"}

    @property
    def other_places(self) -> tuple[str, ...]:
        """Words anywhere in a name that tell of another door, gate or garage than this one."""
        if not self.which or self.family not in {*_OF_DOORS, "garage"}:
            return ()
        return tuple(one for one in _ELSEWHERE if one not in self.which)


def device_of(text: str) -> Device | None:
    """Return the devices that an object means: "the kitchen lights", "any door". None if it is something else."""
    text = _HOUSE.sub("", text.strip())
    inside = _IN.fullmatch(text)
    rooms: tuple[str, ...] = ()
    if inside is not None:
        rooms = rooms_of(inside["room"])
        if not rooms:
            return None
        text = inside["what"]
    found = _plain_device(text)
    if found is None or (rooms and found.rooms):
        return None
    return replace(found, rooms=rooms or found.rooms)


def rooms_of(text: str) -> tuple[str, ...]:
    """Return the rooms that a text names: "the kitchen or the hall". () if one is none."""
    found: list[str] = []
    for one in re.split(r",? (?:and|or|nor) |, ", text.strip()):
        match = _ROOM.fullmatch(one)
        if match is None or _NO_ROOM.match(one):
            return ()
        found.append((match["said"] or match["room"]).lower())
    return tuple(found)


def _plain_device(text: str) -> Device | None:
    if _ANYTHING.fullmatch(text):
        return Device(family=None, noun="device")
    bare = _SMART.sub("", re.sub(rf"^{_DETERMINERS}", "", text, count=1))
    words = bare.split()
    for size in range(min(len(words), _MOST_WORDS), 0, -1):
        noun = " ".join(words[-size:])
        family = _FAMILY_OF.get(noun)
        if family is not None:
            return _named(family, noun, words[:-size])
    return None


def _named(family: str, noun: str, before: list[str]) -> Device | None:
    plain = Device(family=family, domains=_DOMAINS[family], noun=noun)
    if family == "appliance":
        which = (noun,) if not before else (" ".join((*before, noun)),)
        return replace(plain, which=which) if _are_names(before) else None
    if family == "alarm":
        return replace(plain, which=("alarm", "siren", "security")) if not before else None
    if family == "garage":
        return replace(plain, which=("garage",)) if not before else None
    if not before:
        return plain
    place = " ".join(before)
    if family in _OF_DOORS:
        place = place.removesuffix(" door").removesuffix(" gate")
        known = len(place.split()) == 1 and _are_names([place]) and place not in {"car", "smart"}
        return replace(plain, which=_SYNONYMS.get(place, (place,))) if known else None
    rooms = rooms_of(place)
    if rooms:
        return replace(plain, rooms=rooms)
    return replace(plain, which=(place,)) if len(before) <= 2 and _are_names(before) else None


def _are_names(words: Iterable[str]) -> bool:
    return all(re.fullmatch(r"[a-z]+(?:'s)?", one) and one not in _NOT_A_NAME for one in words)
