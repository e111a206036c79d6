"""Controlled English: a small, documented part of English that compiles to rules and refuses everything else."""

from __future__ import annotations

from retouch.recipes.policy.english.compiling import Compiled, compile_english, draft_rules, read_sentences
from retouch.recipes.policy.english.reading import Reading, Verdict

__all__ = ["Compiled", "Reading", "Verdict", "compile_english", "draft_rules", "read_sentences"]
