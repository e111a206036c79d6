"""Controlled English: a small, documented subset of English that compiles to rules. All other sentences are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch._lib.lazy import lazy_attributes

if TYPE_CHECKING:
    from retouch.recipes.policy.english.compiling import Compiled, compile_english, draft_rules, read_sentences
    from retouch.recipes.policy.english.reading import Reading, SentenceVerdict

_HOMES = {
    "Compiled": "compiling",
    "Reading": "reading",
    "SentenceVerdict": "reading",
    "compile_english": "compiling",
    "draft_rules": "compiling",
    "read_sentences": "compiling",
}

__all__ = ["Compiled", "Reading", "SentenceVerdict", "compile_english", "draft_rules", "read_sentences"]

__getattr__ = lazy_attributes(__name__, {name: f".{home}" for name, home in _HOMES.items()})
