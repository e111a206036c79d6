"""The functions with the names of the specification: partial regeneration, validation by type, and staleness.

Functions on files (`wrap_type_block`, `assemble_cs`, ...) are defined in `writing` and can also be imported from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch._lib.hashing import canonical_hash
from retouch._lib.run_sync import run_sync
from retouch.engine.directory import load_prompts
from retouch.engine.history import read_history
from retouch.engine.ledger import LEDGER
from retouch.engine.options import RunOptions
from retouch.engine.recipe import open_model
from retouch.engine.targets import Targets
from retouch.engine.tiers import ValidationResult
from retouch.engine.types import Issue, Model, RetryBudget, Tier
from retouch.engine.verbs import regenerate
from retouch.errors import BadInput
from retouch.recipes.csharp.checking.answers import read
from retouch.recipes.csharp.job import recipe
from retouch.recipes.csharp.naming.places import ROOT_SUFFIX
from retouch.recipes.csharp.parsing.page import normalised, outline
from retouch.recipes.csharp.writing.blocks import (
    assemble_cs,
    extract_type_block,
    list_type_names,
    replace_type_block,
    wrap_type_block,
)
from retouch.recipes.csharp.writing.files import stitch_and_assemble

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.engine.overview import RunResult
    from retouch.recipes.csharp.ir import Endpoint

__all__ = [
    "PartialRegenResult",
    "assemble_cs",
    "check_staleness",
    "extract_type_block",
    "list_type_names",
    "partial_regenerate",
    "replace_type_block",
    "stitch_and_assemble",
    "validate_by_type",
    "wrap_type_block",
]

_CODE = re.compile(r"\[([A-Z][A-Z0-9_]*)\]\s*(.*)", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class PartialRegenResult:
    """The result of `partial_regenerate`: the file, its validation, and the pages that were requested again."""

    cs_code: str
    validation: ValidationResult
    regenerated: list[tuple[str, int]]
    model_used: str
    pages_json_path: Path
    cs_path: Path


def partial_regenerate(
    output_dir: Path,
    type_names: list[str] | None = None,
    page_numbers: dict[str, list[int]] | None = None,
    llm_config: dict[str, Any] | None = None,
    correction_context: dict[str, list[str]] | None = None,
    max_retries: int = 1,
) -> PartialRegenResult:
    """Request some types again from their stored prompts, and return the resulting file.

    `type_names` None means all types. `page_numbers` (from 1) limits a type to some of its pages. `llm_config` is
    `{"model": ...}` with a model specification or any `Model`, and optionally `"provider"`. None uses the model of the
    last answer. `correction_context` maps a type to lines such as `[CODE] message`, which its pages receive.
    `max_retries` counts attempts: 1 means no retry. Names are accepted with or without `DataObject`.

    Raises:
        BadInput: not a run directory, or `max_retries` is below 1.
        UnknownName: there is no such type or page.
    """
    if max_retries < 1:
        raise BadInput(f"max_retries counts attempts and is at least 1, not {max_retries!r}")
    folder = Path(output_dir)
    known = list(dict.fromkeys(prompt.unit for prompt in load_prompts(folder)))
    before = len(read_history(folder / LEDGER).attempts)
    corrections = {_type_name(name, known): texts for name, texts in (correction_context or {}).items()}
    targets = Targets(
        units=tuple(known if type_names is None else (_type_name(name, known) for name in type_names)),
        pages={_type_name(name, known): tuple(pages) for name, pages in (page_numbers or {}).items()},
        issues=tuple(_correction_issue(unit, text) for unit, texts in corrections.items() for text in texts),
    )
    retries = max_retries - 1
    budget = RetryBudget(retries, retries, retries, retries)
    options = RunOptions(budget=budget, ignore_stale=True, offline_last=False)
    result = run_sync(regenerate(recipe, folder, _model(folder, llm_config), targets, options=options))
    return _result(folder, result, before)


def _result(folder: Path, result: RunResult, before: int) -> PartialRegenResult:
    attempts = list(read_history(folder / LEDGER).attempts.values())[before:]
    name = next(name for name in result.files if name.endswith(".cs"))
    replies = [attempt.reply for attempt in attempts if attempt.reply is not None]
    return PartialRegenResult(
        cs_code=(folder / name).read_text(encoding="utf-8"),
        validation=ValidationResult(result.issues),
        regenerated=list(dict.fromkeys((attempt.unit, attempt.page) for attempt in attempts)),
        model_used=replies[-1].model if replies else "",
        pages_json_path=folder / "pages.json",
        cs_path=folder / name,
    )


def _type_name(name: str, known: Sequence[str]) -> str:
    """Return the type that `name` means. The suffix of the root may be missing, or added to another type."""
    candidates = (name, name + ROOT_SUFFIX, name.removesuffix(ROOT_SUFFIX))
    return next((candidate for candidate in candidates if candidate in known), name)


def _correction_issue(unit: str, text: str) -> Issue:
    found = _CODE.match(text.strip())
    code, message = (found[1], found[2]) if found else ("CORRECTION", text.strip())
    return Issue(code=code, message=message, tier=Tier.SCHEMA, unit=unit)


def _model(folder: Path, config: Mapping[str, Any] | None) -> Model:
    if config is None or "model" not in config:
        attempts = read_history(folder / LEDGER).attempts
        return open_model(list(attempts.values())[-1].model if attempts else "offline", recipe=recipe)
    model: Any = config["model"]
    if not isinstance(model, str):
        return model
    provider = config.get("provider")
    return open_model(f"{provider}:{model}" if provider else model, recipe=recipe)


def validate_by_type(cs_code: str, packet: Endpoint) -> dict[str, ValidationResult]:
    """Return the result of tiers 1 and 2 for each type of the endpoint. Types that only the file has come last.

    If the file has no markers, its declarations are used.
    """
    blocks = _blocks(cs_code) if list_type_names(cs_code) else _declarations(cs_code)
    results = {type_.name: ValidationResult(_block_issues(packet, type_.name, blocks)) for type_ in packet.types}
    fix = f"The types are: {', '.join(results)}."
    for name in [name for name in blocks if name not in results]:
        message = f"{name!r} is not a type of this endpoint"
        extra = Issue(code="EXTRA_CLASS", message=message, tier=Tier.SCHEMA, unit=name, fix=fix)
        results[name] = ValidationResult((extra,))
    return results


def _block_issues(endpoint: Endpoint, name: str, blocks: Mapping[str, str]) -> Sequence[Issue]:
    if name not in blocks:
        message = f"{name!r} has no declaration in this file"
        return (Issue(code="MISSING_CLASS", message=message, tier=Tier.SCHEMA, unit=name, fix="Declare it once."),)
    return read(endpoint, name, (blocks[name],)).issues


def _blocks(cs_code: str) -> dict[str, str]:
    return {name: extract_type_block(cs_code, name) or "" for name in list_type_names(cs_code)}


def _declarations(cs_code: str) -> dict[str, str]:
    """Return the text of each declared type of a file without markers, by name."""
    found = outline(normalised(cs_code), "type")
    return {type_.name: found.data[type_.start : type_.end].decode() for type_ in found.types}


def check_staleness(pages_json: Mapping[str, Any], ir_json: Mapping[str, Any]) -> bool:
    """Return whether `pages.json` was made from another source than the one in `ir.json`.

    Only the source is hashed, without the validation summary of `ir.json`.
    """
    return pages_json.get("ir_hash") != canonical_hash(ir_json.get("source", ir_json))
