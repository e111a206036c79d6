"""The plan of an evaluation, as `retouch eval` writes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def planned_evaluation(directory: Path, *models: str, trials: int, source: str = "glossary") -> None:
    """Write the `evaluation.json` of an evaluation whose runs are in MODEL/trial-N/SOURCE."""
    plan = {
        "version": 1,
        "recipe": "glossary",
        "models": {model: model for model in models},
        "trials": trials,
        "seed": 0,
        "sample": None,
        "planned": 3,
        "sources": [{"label": source, "hash": "sha256:0", "prompts": "sha256:0", "planned": 3, "units": None}],
        "options": {},
    }
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "evaluation.json").write_text(json.dumps(plan), encoding="utf-8")
