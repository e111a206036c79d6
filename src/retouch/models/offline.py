"""`offline`: a recipe's own rule-based answerer as a model, so that every job runs without a network."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.edits import changes_between, render_blocks
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
        BadInput: there is no recipe, it answers nothing offline, or something follows the scheme.
    """
    if spec.rest:
        raise BadInput(
            f"the model 'offline' takes no parameters, and {spec.rest!r} was given",
            hint="Write it as 'offline'; to inject faults write 'faulty:offline?rate=0.2'.",
        )
    if spec.recipe is None:
        raise BadInput(
            "the model 'offline' answers with a recipe's own rules, and no recipe was given",
            hint="Pass one: open_model('offline', recipe=find_recipe('csharp')).",
        )
    if spec.recipe.offline is None:
        raise BadInput(
            f"the recipe {spec.recipe.name!r} has no offline answerer",
            hint="Choose another model, or give the recipe a function `offline` from a prompt to its answer.",
        )
    return offline(spec.recipe.offline)


def offline(answer: Callable[[Prompt], str]) -> Model:
    """Return a model that answers every request with `answer` of the prompt that the request carries.

    `answer` sees the text that is sent and nothing else: the clean prompt where the conversation holds it, as a
    correction does, and otherwise the first turn; later turns follow it. Token counts are estimates; an answer that
    is estimated above the request's output cap is cut there and finished with "length", as a provider would. Asked
    for FIND/REPLACE blocks against a standing answer, it writes those that lead from it to its own.
    """

    async def model(request: Request, on_event: OnEvent | None) -> Reply:
        text = _as_asked(request, answer(_with_later_turns(request)))
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

    return NamedModel(name="offline", answer=model)


def asked_prompt(request: Request) -> Prompt:
    """Return the prompt that `request` asks: its own where a turn holds it, else one with the first turn's text."""
    turns = [message.text for message in request.messages if message.role == "user"]
    if not turns or any(request.prompt.user in turn for turn in turns):
        return request.prompt
    return replace(request.prompt, system=request.system, user=turns[0])


def _with_later_turns(request: Request) -> Prompt:
    """Return the prompt that is asked, with the turns behind the first one at its end; an ask for blocks is none."""
    prompt, turns = asked_prompt(request), [message.text for message in request.messages if message.role == "user"]
    later = [turn for turn in turns[1:] if patch_instructions() not in turn]
    return replace(prompt, user="\n\n".join((prompt.user, *later)))


def _as_asked(request: Request, text: str) -> str:
    """Return `text`, or where the last turn asks for it, the FIND/REPLACE blocks from the standing answer to `text`."""
    if len(request.messages) < 3 or patch_instructions() not in request.messages[-1].text:
        return text
    return render_blocks(changes_between(request.messages[-2].text, text)) or text


def tell(on_event: OnEvent | None, text: str) -> None:
    """Tell `on_event` of a first byte and of the whole `text`: a model that answers at once has no more to report."""
    if on_event is not None:
        on_event(Event(kind="first_byte"))
        on_event(Event(kind="text", text=text))
