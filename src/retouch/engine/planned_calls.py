"""Planned calls: the value of one call that is to be made, and its request."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from retouch._lib.redaction import redactor
from retouch.engine.call_events import CallIntended
from retouch.engine.repair import SAMPLED
from retouch.engine.types import Message, Request, model_name, prompt_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.engine.history import History
    from retouch.engine.options import RunOptions
    from retouch.engine.repair import Repair
    from retouch.engine.types import Attempt, Model, Prompt


@dataclass(frozen=True, kw_only=True)
class PlannedCall:
    """A planned call for one page: its text, its model, and its reason.

    `repair` merges the reply into the current answer. None takes the reply unchanged. `answer_schema` is the JSON
    Schema of the reply. `temperature` replaces that of the run. `stage` is 0 for the run's own model, else that of a
    fallback (see `repairs`). `paid` is an attempt of an interrupted run that has a reply already.
    """

    prompt: Prompt
    system: str
    messages: tuple[Message, ...]
    model: Model
    why: str = "answer"
    repair: Repair | None = None
    answer_schema: Mapping[str, Any] | None = field(default=None, hash=False)
    temperature: float | None = None
    stage: int = 0
    paid: int | None = None

    @property
    def first_part(self) -> Attempt | None:
        """The attempt at the first part of a page in two parts, if this call is for the second one."""
        return getattr(self.repair, "first", None)

    def __post_init__(self) -> None:
        """Remove secrets of this environment from the request."""
        clean = redactor()
        if not clean.secrets:
            return
        object.__setattr__(self, "system", clean.text(self.system))
        messages = tuple(replace(message, text=clean.text(message.text)) for message in self.messages)
        object.__setattr__(self, "messages", messages)


def first_call(prompt: Prompt, model: Model, *, why: str = "answer") -> PlannedCall:
    """Return the call for a page's clean prompt."""
    messages = (Message(role="user", text=prompt.user),)
    schema = prompt.answer_schema
    return PlannedCall(
        prompt=prompt, system=prompt.system, messages=messages, model=model, why=why, answer_schema=schema
    )


def with_unchecked_reply(call: PlannedCall, history: History) -> PlannedCall:
    """Return `call` with the unchecked reply of an interrupted run, from any model, if there is one."""
    paid = history.unchecked_reply(call.prompt.key, call.system, call.messages)
    return call if paid is None else replace(call, paid=paid)


def request_for(call: PlannedCall, history: History, options: RunOptions) -> Request:
    """Return the request of `call`. Its output cap never exceeds the server's known limit.

    A page that was truncated before gets twice the output cap. A page whose answer repeated itself gets another
    temperature.
    """
    name, key = model_name(call.model), call.prompt.key
    cap = options.max_output_tokens
    temperature = options.temperature if call.temperature is None else call.temperature
    if key in history.by_page:
        hashed = prompt_hash(call.prompt)
        cut = history.cut_at(key, hashed, name)
        cap = max(cap, min(cut * 2, options.max_output_limit))
        temperature = SAMPLED if history.repeats(key, hashed, name) else temperature
    return Request(
        prompt=call.prompt,
        system=call.system,
        messages=call.messages,
        max_output_tokens=min(cap, history.output_limits.get(name, cap)),
        temperature=temperature,
        answer_schema=call.answer_schema,
    )


def intent_of(call: PlannedCall, request: Request) -> CallIntended:
    """Return the row that records the intent to send `request` for one call."""
    return CallIntended(why=call.why, model=model_name(call.model), request=request, stage=call.stage)
