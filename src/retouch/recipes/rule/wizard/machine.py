"""The transitions of the wizard: from a state, on an event, under a guard, to a state, with effects."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.rule.wizard.events import Failed, Key, NotValid, Retrying, RoundPassed
from retouch.recipes.rule.wizard.hearing import NEWS
from retouch.recipes.rule.wizard.pressing import KEYS
from retouch.recipes.rule.wizard.states import ENDED

if TYPE_CHECKING:
    from retouch.recipes.rule.wizard.events import Event, KeyName
    from retouch.recipes.rule.wizard.states import Move, Wizard


def step(wizard: Wizard, event: Event) -> Move:
    """Return the wizard after `event`, and what is to be done; an event that means nothing in a state changes nothing.

    Source: the state machine of the rule job's reference.
    """
    if wizard.state in ENDED or _is_late(wizard, event):
        return wizard, ()
    move = _on_key(wizard, event.name) if isinstance(event, Key) else _on_news(wizard, event)
    return move or (wizard, ())


def keys(wizard: Wizard) -> dict[KeyName, str]:
    """Return the keys that mean something now, and what they do; every state that has not ended has Esc."""
    return {key: words for (states, key), (words, guard, _) in KEYS.items() if wizard.state in states and guard(wizard)}


def _is_late(wizard: Wizard, event: Event) -> bool:
    return isinstance(event, RoundPassed | Retrying | Failed | NotValid) and event.round != wizard.round


def _on_key(wizard: Wizard, key: KeyName) -> Move | None:
    for (states, name), (_, guard, act) in KEYS.items():
        if name == key and wizard.state in states and guard(wizard):
            return act(replace(wizard, message=""))
    return None


def _on_news(wizard: Wizard, event: Event) -> Move | None:
    for states, kind, act in NEWS:
        if wizard.state in states and isinstance(event, kind):
            return act(wizard, event)
    return None
