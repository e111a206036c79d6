"""The rows that a round writes: how a unit settled, and prompts that were derived from values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from retouch.engine.history import WHOLE_UNIT
from retouch.engine.types import issues_to_json, prompt_hash
from retouch.errors import RecipeBug

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.history import Answer, History
    from retouch.engine.recipe import Recipe
    from retouch.engine.record import Record
    from retouch.engine.types import Prompt
    from retouch.engine.unit import Unit

S = TypeVar("S")
V = TypeVar("V")


def note_settled(
    record: Record,
    unit: Unit[Any],
    *,
    attempts: Sequence[JSON] = (),
    standing: Mapping[int, Answer | None] | None = None,
    asked: Sequence[int] = (),
    paid: int | None = None,
    failed: int = 0,
) -> None:
    """Append how `unit` stands after it was judged, as one row: all of it is on disk, or none.

    `standing` are the texts that replace what stood, None for one that is put aside. `failed` is the tier that failed
    last, also where that answer was left aside.
    """
    data: dict[str, JSON] = {
        "attempts": list(attempts),
        "standing": None if standing is None else {str(p): _answer(record, a) for p, a in standing.items()},
        "issues": issues_to_json(unit.verdict.issues if unit.verdict is not None else ()),
        "rung": unit.rung,
        "asked": list(asked),
        "state": unit.state,
        "paid": paid,
        "failed": failed,
    }
    record.append("settled", data, unit=unit.name)


def _answer(record: Record, answer: Answer | None) -> dict[str, JSON] | None:
    if answer is None:
        return None
    row: dict[str, JSON] = {"text": record.text(answer.text), "attempt": answer.attempt, "by": answer.by}
    return {**row, "prompt_hash": answer.prompt_hash, "origin": dict(answer.origin)}


def derived(
    recipe: Recipe[S, V], source: S, values: Mapping[str, V], planned: Container[str], record: Record
) -> list[Prompt]:
    """Return the prompts that `then` writes from values and whose text is new; each is appended.

    Raises:
        RecipeBug: one is for a unit that was planned.
    """
    fresh: list[Prompt] = []
    for prompt in recipe.then(source, values):
        if prompt.type_name in planned:
            message = f"recipe {recipe.name!r} derived a prompt for the planned unit {prompt.type_name!r}"
            raise RecipeBug(message, hint="Give derived prompts a unit name of their own.")
        known = record.history.derived.get(prompt.key)
        if known is None or prompt_hash(known) != prompt_hash(prompt):
            _note_derived(record, prompt)
            fresh.append(prompt)
    return fresh


def _note_derived(record: Record, prompt: Prompt) -> None:
    """Append a prompt that could only be written once there were values."""
    head: dict[str, JSON] = {"type_name": prompt.type_name, "is_root": prompt.is_root, "page": prompt.page}
    texts: dict[str, JSON] = {"system": record.text(prompt.system), "user": record.text(prompt.user)}
    record.append("derived", {**head, "total_pages": prompt.total_pages, **texts})


def stands(
    unit: Unit[Any], texts: Mapping[int, str], attempts: Mapping[int, int], history: History, *, by: str
) -> dict[int, Answer | None]:
    """Return the answers that `texts` become; a person's text for the whole unit is put aside by them.

    A page that was only mended keeps the attempt that it came from.
    """
    from retouch.engine.history import Answer

    old = unit.standing(history)
    rows: dict[int, Answer | None] = {}
    for page, text in texts.items():
        attempt = attempts.get(page, old[page].attempt if page in old else None)
        at = "" if page not in old else old[page].at
        rows[page] = Answer(text=text, attempt=attempt, prompt_hash=prompt_hash(unit.pages[page]), by=by, at=at)
    if history.adopted(unit.name) is not None:
        rows[WHOLE_UNIT] = None
    return rows
