"""`pages.json`: the answers that stand, as a view of the ledger with the keys and the order of the first seed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.disk import json_text
from retouch.engine.hashing import prompt_hash
from retouch.engine.run import VERSION, source_hash

if TYPE_CHECKING:
    from retouch.engine.core import JSON, Prompt
    from retouch.engine.history import Answer, History
    from retouch.engine.round import Round

PERSON = "person"  # stands for a model where a person wrote the answer


def pages_text(work: Round[Any, Any]) -> str:
    """Return the text of `pages.json`: parallel to `prompts.json`; a page without an answer has no model or output."""
    history = work.record.history
    planned = [p for name in work.units for p in work.units[name].prompts if name in work.planned]
    pages = [_page(index, prompt, history) for index, prompt in enumerate(planned)]
    models = [page["model"] for page in sorted(pages, key=lambda page: str(page["generated_at"])) if page["model"]]
    content: dict[str, Any] = {
        "version": VERSION,
        **work.recipe.heading(work.source),
        "ir_hash": source_hash(work.recipe, work.source),
        "generated_at": max((str(page["generated_at"]) for page in pages if page["generated_at"]), default=None),
        "model": models[-1] if models else None,
        "pages": pages,
    }
    return json_text(content)


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
