"""Makes LLM-written artifacts trustworthy and mends only what is wrong with them.

    import retouch

    recipe = retouch.find_recipe("csharp")
    model = retouch.open_model("offline", recipe=recipe)
    result = retouch.generate(recipe, source, folder, model)

Every verb is a plain function here and a coroutine function in `retouch.aio`. Names are loaded when they are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.engine.directory import open_run
    from retouch.engine.options import Progress, RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Block, Read, Recipe, Section, Unread, find_recipe, open_model
    from retouch.engine.repair import Correction, FollowUp, Instead
    from retouch.engine.targets import Targets
    from retouch.engine.types import Issue, Message, Model, Prompt, Reply, Request, RetryBudget, Tier
    from retouch.errors import Invalid, RetouchError
    from retouch.sync import adopt, assemble, generate, regenerate, repaginate, validate

_HOMES = {
    "retouch.engine.types": ("RetryBudget",),
    "retouch.engine.types": ("Issue", "Message", "Model", "Prompt", "Reply", "Request", "RunOptions", "Tier"),
    "retouch.errors": ("Invalid", "RetouchError"),
    "retouch.engine.verbs": ("Way",),
    "retouch.engine.recipe": ("find_recipe", "open_model"),
    "retouch.engine.overview": ("Progress", "RunResult"),
    "retouch.engine.recipe": ("Block", "Read", "Recipe", "Section", "Unread"),
    "retouch.engine.repair": ("Correction", "FollowUp", "Instead"),
    "retouch.engine.directory": ("open_run",),
    "retouch.engine.targets": ("Targets",),
    "retouch.sync": ("adopt", "assemble", "generate", "regenerate", "repaginate", "validate"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [  # noqa: RUF022 - grouped as in the table of homes
    "RetryBudget",
    "Issue",
    "Message",
    "Model",
    "Prompt",
    "Reply",
    "Request",
    "RunOptions",
    "Tier",
    "Invalid",
    "RetouchError",
    "Way",
    "find_recipe",
    "open_model",
    "Progress",
    "RunResult",
    "Block",
    "Read",
    "Recipe",
    "Section",
    "Unread",
    "Correction",
    "FollowUp",
    "Instead",
    "open_run",
    "Targets",
    "adopt",
    "assemble",
    "generate",
    "regenerate",
    "repaginate",
    "validate",
]

__getattr__ = lazy_attributes(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
