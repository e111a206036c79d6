"""Shows what is sent, word for word, before it leaves the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from retouch.cli.failure import printable

if TYPE_CHECKING:
    from retouch.engine.types import Model, OnEvent, Prompt, Reply, Request


def showing(model: Model) -> Model:
    """Return `model`, every request to which is printed on stderr before it goes."""
    from retouch.engine.calls import model_name
    from retouch.models.named import NamedModel

    async def answer(request: Request, on_event: OnEvent | None) -> Reply:
        _say("system", request.system)
        for message in request.messages:
            _say(message.role, message.text)
        return await model(request, on_event=on_event)

    return NamedModel(name=model_name(model), answer=answer)


def show_prompt(prompt: Prompt) -> None:
    """Print a prompt as it would be sent."""
    _say("system", prompt.system)
    _say("user", prompt.user)


def _say(role: str, text: str) -> None:
    click.secho(f"--- {role}", fg="cyan", err=True)
    click.echo(printable(text), err=True)
