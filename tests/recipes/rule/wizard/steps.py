"""Steps of the state machine for its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.recipes.rule.wizard.events import Failed, Invoked, Key, Named, RoundPassed
from retouch.recipes.rule.wizard.machine import step
from retouch.recipes.rule.wizard.states import Wizard

if TYPE_CHECKING:
    from retouch.recipes.rule.wizard.events import Effect, Event

GOOD = Named(name="missions", valid=True)


def after(*events: Event, wizard: Wizard | None = None) -> Wizard:
    return moved(*events, wizard=wizard)[0]


def moved(*events: Event, wizard: Wizard | None = None) -> tuple[Wizard, tuple[Effect, ...]]:
    """Return the wizard after all events, and the effects of the last one."""
    now, effects = wizard or Wizard(), ()
    for event in events:
        now, effects = step(now, event)
    return now, effects


def key(name: Any) -> Key:
    return Key(name=name)


START = Invoked(paths=["a/1.csv"])
YAML = RoundPassed(round=1, kind="yaml", hash="h1")
EXHAUSTED = Failed(round=1, kind="exhausted", message="no retries left for this kind of error", has_output=True)
DOWN = Failed(round=1, kind="transport", message="the model does not answer: try later")
