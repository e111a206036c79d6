"""`offline`: a recipe's own rules as a model, so that every recipe runs without a network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.engine.packs import packed_answer
from retouch.engine.repair import patch_instructions
from retouch.engine.types import Event, Reply
from retouch.errors import BadInput
from retouch.models.named import NamedModel
from retouch.models.tokens import cut_to_tokens, estimate_tokens, request_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch.engine.recipe import ModelSpec
    from retouch.engine.types import Model, OnEvent, Prompt, Request


def open_offline(spec: ModelSpec) -> Model:
    """Return the offline model of the recipe in `spec`.

    Raises:
        BadInput: there is no recipe, it has no offline model, or the scheme has parameters.
    """
    if spec.rest:
        raise BadInput(
            f"the model 'offline' has no parameters, but {spec.rest!r} was given",
            hint="Write it as 'offline'; to inject faults write 'faulty:offline?rate=0.2'.",
        )
    if spec.recipe is None:
        raise BadInput(
            "the model 'offline' uses a recipe's own rules, but no recipe was given",
            hint="Pass one: open_model('offline', recipe=find_recipe('csharp')).",
        )
    if spec.recipe.offline is None:
        raise BadInput(
            f"the recipe {spec.recipe.name!r} has no offline model",
            hint="Choose another model, or add a function `offline` to the recipe that maps a prompt to its answer.",
        )
    return offline(spec.recipe.offline)


def offline(answer: Callable[[Prompt], str]) -> Model:
    """Return a model that answers every request with `answer(prompt)`.

    `answer` sees only the sent text: the original prompt if the conversation contains it, as a correction does,
    otherwise the first turn, followed by later turns. Token counts are estimates. An answer whose estimate exceeds the
    request's output cap is cut there and finished with "length", as a provider would do. If FIND/REPLACE blocks against
    the current answer are requested, it returns the blocks that lead to its own answer.
    """

    async def model(request: Request, on_event: OnEvent | None) -> Reply:
        text = (
            packed_answer(request, {key: answer(prompt) for key, prompt in request.parts})
            if request.parts
            else _as_asked(request, answer(_with_later_turns(request)))
        )
        output_tokens, finish = estimate_tokens(text), "end"
        if output_tokens > request.max_output_tokens:
            text, output_tokens, finish = (
                cut_to_tokens(text, request.max_output_tokens),
                request.max_output_tokens,
                "length",
            )
        tell(on_event, text)
        tokens = request_tokens(request)
        return Reply(
            text=text, finish=finish, model="offline", input_tokens=tokens, output_tokens=output_tokens, cost=0.0
        )

    return NamedModel(name="offline", answer=model, may_cache=lambda _: False)


def asked_prompt(request: Request) -> Prompt:
    """Return the prompt of `request`: its own if a turn contains it, else one with the first turn's text."""
    turns = [message.text for message in request.messages if message.role == "user"]
    if not turns or any(request.prompt.user in turn for turn in turns):
        return request.prompt
    return replace(request.prompt, system=request.system, user=turns[0])


def _with_later_turns(request: Request) -> Prompt:
    """Return the prompt with the later turns at its end, without requests for blocks."""
    prompt, turns = asked_prompt(request), [message.text for message in request.messages if message.role == "user"]
    later = [turn for turn in turns[1:] if patch_instructions() not in turn]
    return replace(prompt, user="\n\n".join((prompt.user, *later)))


def _as_asked(request: Request, text: str) -> str:
    """Return `text`, or the FIND/REPLACE blocks from the current answer to `text` if the last turn requests them."""
    if len(request.messages) < 3 or patch_instructions() not in request.messages[-1].text:
        return text
    from retouch.edits import changes_between, render_blocks

    return render_blocks(changes_between(request.messages[-2].text, text)) or text


def tell(on_event: OnEvent | None, text: str) -> None:
    """Report a first byte and the whole `text` to `on_event`, because the model answers at once."""
    if on_event is not None:
        on_event(Event(kind="first_byte"))
        on_event(Event(kind="text", text=text))
