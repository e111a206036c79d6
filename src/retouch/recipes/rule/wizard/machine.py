"""The state machine of the wizard: from a state, on an event, under a guard, to a state, with effects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.wizard.events import ChangeRefused, Failed, Key, NotValid, Retrying, RoundPassed
from retouch.recipes.rule.wizard.on_event import TRANSITIONS
from retouch.recipes.rule.wizard.on_key import KEYS
from retouch.recipes.rule.wizard.states import ENDED

if TYPE_CHECKING:
    from retouch.recipes.rule.wizard.events import Event, KeyName
    from retouch.recipes.rule.wizard.states import Move, Wizard


def step(wizard: Wizard, event: Event) -> Move:
    """Return the wizard after `event`, and its effects. An event without a transition changes nothing.

    Source: the state machine in the reference of the rule recipe.
    """
    if wizard.state in ENDED or _is_late(wizard, event):
        return wizard, ()
    move = _on_key(wizard, event.name) if isinstance(event, Key) else _on_event(wizard, event)
    return move or (wizard, ())


def keys(wizard: Wizard) -> dict[KeyName, str]:
    """Return the active keys and their labels. Every state that has not ended has Esc."""
    return {key: label for (states, key), (label, guard, _) in KEYS.items() if wizard.state in states and guard(wizard)}


def _is_late(wizard: Wizard, event: Event) -> bool:
    return isinstance(event, RoundPassed | Retrying | Failed | NotValid | ChangeRefused) and event.round != wizard.round


def _on_key(wizard: Wizard, key: KeyName) -> Move | None:
    for (states, name), (_, guard, act) in KEYS.items():
        if name == key and wizard.state in states and guard(wizard):
            return act(replace(wizard, message=""))
    return None


def _on_event(wizard: Wizard, event: Event) -> Move | None:
    for states, kind, act in TRANSITIONS:
        if wizard.state in states and isinstance(event, kind):
            return act(wizard, event)
    return None
