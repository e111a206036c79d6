"""The answer schema of a request: where it comes from, and what it shares with others."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from retouch.engine.repair import Correction, Instead

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.repair import Repair
    from retouch.engine.types import Prompt, Request


def schema_of_answer(repair: Repair | None, prompt: Prompt) -> Mapping[str, Any] | None:
    """Return the schema of the answer to a call: the prompt's, unless the repair requests another form.

    A repair of a recipe's own class may request anything, so it has no schema unless it has the attribute
    `answer_schema`.
    """
    if repair is None or isinstance(repair, Correction):
        return prompt.answer_schema
    return repair.prompt.answer_schema if isinstance(repair, Instead) else getattr(repair, "answer_schema", None)


def shared_text(request: Request) -> str:
    """Return the text that a request may share with others in a provider's cache: system text and answer schema."""
    schema = request.answer_schema
    return request.system if schema is None else f"{request.system}\n{json.dumps(schema)}"
