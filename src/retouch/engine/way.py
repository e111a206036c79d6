"""How a verb goes about its work, and what the ledger keeps of it so that a run can go on by itself."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from retouch.engine.calls import model_name
from retouch.engine.options import RunOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON
    from retouch.engine.batches import Batching
    from retouch.engine.history import History
    from retouch.engine.options import Watch
    from retouch.engine.record import Record
    from retouch.engine.types import Model, RetryBudget


@dataclass(frozen=True, kw_only=True)
class Way:
    """How a verb goes about its work.

    `fallback` is asked when the same complaint comes back from the first model. `budget` replaces the recipe's own
    for this round. `wait` waits for another process that writes into the folder; `force` overwrites what a person
    edited; `ignore_stale` goes on with prompts of an older source. `batching` asks together what is asked first.
    `ending` is what whoever calls the verb does once the loop is through, in words of its own, so that another process
    can go on to the same end; None leaves what an earlier verb said.
    """

    options: RunOptions = RunOptions()
    watch: Watch | None = None
    fallback: Model | None = None
    budget: RetryBudget | None = None
    wait: bool = False
    force: bool = False
    ignore_stale: bool = False
    batching: Batching | None = None
    ending: Mapping[str, JSON] | None = None


AS_USUAL = Way()


@dataclass(frozen=True, kw_only=True)
class LastWay:
    """What the last verb of a run used: the names of its models, "" for none, its options, and how it was to end."""

    model: str = ""
    fallback: str = ""
    options: RunOptions = RunOptions()
    ending: Mapping[str, JSON] = field(default_factory=dict[str, "JSON"])


def note_way(record: Record, way: Way, model: Model) -> None:
    """Note how this verb goes about its work, unless the last one did the same."""
    given = vars(way.options)
    options: dict[str, JSON] = {name: _plain(value) for name, value in given.items() if not callable(value)}
    fallback = model_name(way.fallback) if way.fallback is not None else ""
    data: dict[str, JSON] = {"model": model_name(model), "fallback": fallback, "options": options}
    ending = record.history.way.get("ending") if way.ending is None else dict(way.ending)
    data |= {"ending": ending} if ending else {}
    if record.history.way != data:
        record.append("way", data)


def _plain(value: Any) -> JSON:
    return dict(value) if hasattr(value, "items") else value


def last_way(history: History) -> LastWay:
    """Return how the last verb went about its work; options that this version does not know are left out."""
    data: Any = history.way
    if not data:
        return LastWay()
    known = {one.name for one in fields(RunOptions)}
    options: dict[str, Any] = {name: value for name, value in data["options"].items() if name in known}
    kept = RunOptions(**options)
    return LastWay(model=data["model"], fallback=data["fallback"], options=kept, ending=data.get("ending", {}))
