"""Generates files with LLMs, checks every answer, and retries only the parts that fail.

    import retouch

    recipe = retouch.find_recipe("csharp")
    model = retouch.open_model("offline", recipe=recipe)
    result = retouch.generate(recipe, source, directory, model)

Every verb is a plain function here and a coroutine function in `retouch.aio`. Names are loaded when they are used.
Modules and packages that are not named in the documentation are internal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch import aio
    from retouch._sync import adopt, assemble, compare, generate, regenerate, repaginate, validate
    from retouch.engine.directory import open_run
    from retouch.engine.options import Batching, Progress, RunOptions
    from retouch.engine.overview import RunResult
    from retouch.engine.recipe import Block, Read, Recipe, Section, Unread, find_recipe, open_model
    from retouch.engine.repair import Correction, FollowUp, Instead, Patch
    from retouch.engine.targets import Targets
    from retouch.engine.types import Attempt, Issue, Message, Model, Prompt, Reply, Request, RetryBudget, Tier, Usage
    from retouch.errors import BadInput, Invalid, ModelError, RetouchError, TransportError
    from retouch.recipes.extract import ExtractResult, RecordResult, extract, extract_stream
    from retouch.text import code_in, json_in

_NAMES = {
    "": ("aio",),
    "retouch._sync": ("adopt", "assemble", "compare", "generate", "regenerate", "repaginate", "validate"),
    "retouch.engine.directory": ("open_run",),
    "retouch.engine.options": ("Batching", "Progress", "RunOptions"),
    "retouch.engine.overview": ("RunResult",),
    "retouch.engine.recipe": ("Block", "Read", "Recipe", "Section", "Unread", "find_recipe", "open_model"),
    "retouch.engine.repair": ("Correction", "FollowUp", "Instead", "Patch"),
    "retouch.engine.targets": ("Targets",),
    "retouch.engine.types": (
        "Attempt",
        "Issue",
        "Message",
        "Model",
        "Prompt",
        "Reply",
        "Request",
        "RetryBudget",
        "Tier",
        "Usage",
    ),
    "retouch.errors": ("BadInput", "Invalid", "ModelError", "RetouchError", "TransportError"),
    "retouch.recipes.extract": ("ExtractResult", "RecordResult", "extract", "extract_stream"),
    "retouch.text": ("code_in", "json_in"),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__version__ = "0.1.0"
__all__ = [
    "Attempt",
    "BadInput",
    "Batching",
    "Block",
    "Correction",
    "ExtractResult",
    "FollowUp",
    "Instead",
    "Invalid",
    "Issue",
    "Message",
    "Model",
    "ModelError",
    "Patch",
    "Progress",
    "Prompt",
    "Read",
    "Recipe",
    "RecordResult",
    "Reply",
    "Request",
    "RetouchError",
    "RetryBudget",
    "RunOptions",
    "RunResult",
    "Section",
    "Targets",
    "Tier",
    "TransportError",
    "Unread",
    "Usage",
    "adopt",
    "aio",
    "assemble",
    "code_in",
    "compare",
    "extract",
    "extract_stream",
    "find_recipe",
    "generate",
    "json_in",
    "open_model",
    "open_run",
    "regenerate",
    "repaginate",
    "validate",
]

__getattr__ = lazy_attributes(__name__, _MODULES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
