"""The tools of Home Assistant's Assist, and what a sentence decides for calls that are written in one line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from retouch.recipes.policy.language.values import CallState
from tests.recipes.policy.english.house_tools import MANY
from tests.recipes.policy.english.listed_servers import listed_frame
from tests.recipes.policy.english.meanings import NUMBER, TEXT, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from retouch.recipes.policy import Policy

_NAMED: dict[str, Any] = {"name?": TEXT, "area?": TEXT, "floor?": TEXT}
_KIND: dict[str, Any] = {**_NAMED, "domain?": MANY, "device_class?": MANY}
_ITEM: dict[str, Any] = {"item": TEXT, "name": TEXT}
ASSIST = listed_frame(
    "home",
    {
        "HassTurnOn": ("Turns on/opens/presses a device or entity. For locks, this performs a 'lock' action.", _KIND),
        "HassTurnOff": ("Turns off/closes a device or entity. For locks, this performs an 'unlock' action.", _KIND),
        "HassSetPosition": ("Sets the position of a device or entity", {**_KIND, "position": NUMBER}),
        "HassLightSet": (
            "Sets the brightness percentage or color of a light",
            {**_NAMED, "domain?": MANY, "color?": TEXT, "brightness?": told("The brightness percentage", NUMBER)},
        ),
        "HassClimateSetTemperature": (
            "Sets the target temperature of a climate device or entity",
            {**_NAMED, "temperature": {"type": "number"}},
        ),
        "HassMediaSearchAndPlay": (
            "Searches for media and plays the first result",
            {
                **_NAMED,
                "search_query": TEXT,
                "media_class?": {"type": "string", "enum": ["album", "artist", "movie", "playlist", "track"]},
            },
        ),
        "HassMediaPause": ("Pauses a media player", _KIND),
        "HassSetVolume": ("Sets the volume percentage of a media player", {**_KIND, "volume_level": NUMBER}),
        "HassSetVolumeRelative": (
            "Increases or decreases the volume of a media player",
            {**_NAMED, "volume_step": NUMBER},
        ),
        "HassVacuumStart": ("Starts a vacuum", _KIND),
        "HassVacuumReturnToBase": ("Returns a vacuum to base", _KIND),
        "HassBroadcast": ("Broadcast a message through the home", {"message": TEXT}),
        "HassListAddItem": ("Add item to a todo list", _ITEM),
        "HassListCompleteItem": ("Complete item on a todo list", _ITEM),
        "HassListRemoveItem": ("Remove item from a todo list", _ITEM),
        "HassCancelAllTimers": ("Cancels all timers", {"area?": TEXT}),
        "GetLiveContext": ("Provides real-time information about the CURRENT state of devices or areas", {}),
    },
)
_LISTS = frozenset({"domain", "device_class"})
_NUMBERS = frozenset({"position", "brightness", "temperature", "volume_level", "volume_step"})


def call_of(text: str) -> ToolCall:
    """Return the call of "TurnOff; name=Front Door; domain=lock,light; at=23"."""
    tool, *pairs = text.split("; ")
    arguments: dict[str, Any] = {}
    hour = 12
    for name, _, value in (one.partition("=") for one in pairs):
        if name == "at":
            hour = int(value)
        elif name in _LISTS:
            arguments[name] = value.split(",") if value else []
        else:
            arguments[name] = float(value) if name in _NUMBERS else value
    if tool == "MediaSearchAndPlay":
        arguments.setdefault("search_query", "jazz")
    state = CallState(at=datetime(2026, 3, 4, hour, 30, tzinfo=UTC))
    name = tool if tool.startswith("Get") else f"Hass{tool}"
    return ToolCall(server="home", tool=name, arguments=arguments, state=state)


def is_read(text: str, frame: Policy = ASSIST) -> bool:
    """Return whether a sentence is enforced."""
    return not compile_clauses(text, frame).refused


def decided(text: str, calls: Sequence[str], frame: Policy = ASSIST) -> dict[str, str]:
    """Return how calls are decided by a sentence, next to a permission of all tools if it permits nothing itself."""
    made = compile_clauses(text, frame)
    assert not made.refused
    if not any(one.then == "allow" for one in made.rules):
        made = compile_clauses(f"{text}\n\nAllow using any tool of home.", frame)
    policy = replace(frame, rules=made.rules, list_defs=made.list_defs)
    return {one: evaluate(policy, call_of(one), surroundings=LEXICAL).decision for one in calls}
