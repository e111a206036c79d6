"""instructor as a repair strategy: one call per page with a validator, which retries with the whole conversation."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationInfo, field_validator

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from retouch.engine.types import Issue, Prompt

RETRIES = 3


class Table(BaseModel):
    """A page's table as instructor requests it: one text, validated like ours."""

    table: str

    @field_validator("table")
    @classmethod
    def is_right(cls, table: str, info: ValidationInfo) -> str:
        """Reject a table with issues, with the messages of our checks."""
        context: Any = info.context
        issues = context["wrong"](context["prompt"], table)
        if issues:
            raise ValueError("; ".join(f"[{issue.code}] {issue.message}" for issue in issues))
        return table


async def run(
    model: str,
    at_once: int,
    prompts: Sequence[Prompt],
    wrong: Callable[[Prompt, str], Sequence[Issue]],
    *,
    marked: bool,
) -> None:
    """Request every page with instructor. `marked` marks the system text and sends the first page alone."""
    instructor: Any = import_module("instructor")
    anthropic: Any = import_module("anthropic")
    bare = anthropic.AsyncAnthropic(max_retries=0, timeout=600.0)
    client = instructor.from_anthropic(bare, mode=instructor.Mode.ANTHROPIC_JSON)
    given_up: Any = import_module("instructor.core").InstructorError
    places = asyncio.Semaphore(at_once)

    async def one(prompt: Prompt) -> None:
        blocks = [{"type": "text", "text": prompt.system, "cache_control": {"type": "ephemeral"}}]
        async with places:
            try:
                await client.messages.create(
                    model=model,
                    max_tokens=16_384,
                    system=blocks if marked else prompt.system,
                    messages=[{"role": "user", "content": prompt.user}],
                    response_model=Table,
                    max_retries=RETRIES,
                    context={"wrong": wrong, "prompt": prompt},
                )
            except given_up:
                return  # stops, as ours does if its budget is exhausted

    alone = 1 if marked else 0
    for prompt in prompts[:alone]:
        await one(prompt)
    await asyncio.gather(*(one(prompt) for prompt in prompts[alone:]))
    await bare.close()
