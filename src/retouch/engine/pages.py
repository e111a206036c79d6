"""`pages.json`: the answers that stand, as a view of the ledger with the keys and the order of the first seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch._lib.json_text import json_list, json_text
from retouch.engine.directory import VERSION, source_hash
from retouch.engine.types import prompt_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from retouch._lib.json_text import JSON
    from retouch.engine.history import Answer, History
    from retouch.engine.round import Round
    from retouch.engine.types import Prompt

PERSON = "person"  # stands for a model where a person wrote the answer


def pages_text(work: Round[Any, Any]) -> Iterator[str]:
    """Yield the text of `pages.json` in pieces, parallel to `prompts.json`; a page without an answer has no model."""
    history = work.record.history
    planned = [p for name in work.units for p in work.units[name].prompts if name in work.planned]
    generated_at, model = _latest(planned, history)
    content: dict[str, Any] = {
        "version": VERSION,
        **work.recipe.heading(work.source),
        "ir_hash": source_hash(work.recipe, work.source),
        "generated_at": generated_at,
        "model": model,
        "pages": [],
    }
    head, _, tail = json_text(content).rpartition("[]")
    yield head
    yield from json_list((_page(*one, history) for one in enumerate(planned)), depth=1)
    yield tail


def _latest(planned: Sequence[Prompt], history: History) -> tuple[str | None, str | None]:
    """Return when the latest answer came, and the model that gave it."""
    came = (_came_from(_answer(prompt, history), history) for prompt in planned)
    known = [(str(one.get("generated_at") or ""), one.get("model")) for one in came]
    models = [str(model) for _, model in sorted(known, key=lambda one: one[0]) if model]
    return max((at for at, _ in known if at), default=None), models[-1] if models else None


def _page(index: int, prompt: Prompt, history: History) -> dict[str, JSON]:
    answer = _answer(prompt, history)
    came = _came_from(answer, history)
    return {
        "index": index,
        "type_name": prompt.type_name,
        "is_root": prompt.is_root,
        "page": prompt.page,
        "total_pages": prompt.total_pages,
        "model": came.get("model"),
        "generated_at": came.get("generated_at"),
        "input_tokens": came.get("input_tokens"),
        "output_tokens": came.get("output_tokens"),
        "output": answer.text if answer is not None else None,
        "cached_tokens": came.get("cached_tokens"),
        "prompt_hash": prompt_hash(prompt),
    }


def _came_from(answer: Answer | None, history: History) -> dict[str, JSON]:
    """Return where an answer came from: its reply, the earlier `pages.json` it was taken over from, or a person."""
    if answer is None:
        return {}
    if answer.attempt is None:
        return {"model": PERSON, "generated_at": answer.at, **answer.origin}
    reply = history.attempts[answer.attempt].reply
    head: dict[str, JSON] = {"model": reply.model if reply is not None else None, "generated_at": answer.at}
    return head if reply is None else {**head, **{key: getattr(reply, key) for key in TOKENS}}


def _answer(prompt: Prompt, history: History) -> Answer | None:
    """Return what stands for a page; a person's text for the whole unit stands at its first page."""
    adopted = history.adopted(prompt.type_name)
    if adopted is not None:
        return adopted if prompt.page == 1 else None
    return history.answer_to(prompt)


TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
ORIGIN = ("model", "generated_at", *TOKENS)  # what is taken over with an output whose attempt is not in the ledger
