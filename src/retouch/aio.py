"""The verbs to await; `retouch` itself has the same ones as plain functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from retouch.engine.verbs import adopt, assemble, compare, generate, regenerate, repaginate, validate

if TYPE_CHECKING:
    from retouch.recipes.extract import extract_async as extract

__all__ = ["adopt", "assemble", "compare", "extract", "generate", "regenerate", "repaginate", "validate"]


def __getattr__(name: str) -> Any:
    if name == "extract":  # loaded when it is used, like every recipe
        from retouch.recipes.extract import extract_async

        return extract_async
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
