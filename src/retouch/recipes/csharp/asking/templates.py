"""The text of prompts, and their templates."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


@lru_cache(maxsize=16)
def prompt_text(name: str) -> str:
    """Return the text of the prompt file `name`, always with LF line ends."""
    return files("retouch.recipes.csharp.asking").joinpath("prompts", f"{name}.txt").read_text(encoding="utf-8")


@lru_cache(maxsize=6)
def template(name: str) -> Template:
    """Return the template of the prompt file `name`. An unknown name in it is an error."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(  # noqa: S701 - prompts are plain text, no escaping needed
        undefined=StrictUndefined, keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(prompt_text(name))
