"""The run directory: `ir.json`, `prompts.json`, `pages.json`, `ledger.db` and the generated files.

The ledger is the source of truth. `pages.json` and the generated files are derived from it and can be rebuilt. Loading
validates: an error names the broken file, its key and the remedy. A broken file is never overwritten.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from retouch._lib.frozen import with_fields
from retouch._lib.hashing import canonical_hash, canonical_json, text_hash
from retouch._lib.json_stream import broken, expect, expect_version, stored_list, stored_object
from retouch._lib.json_text import RenderedJson, json_list, json_text, rendered_json, shared_json
from retouch._lib.redaction import redactor
from retouch.engine.history import History, read_history
from retouch.engine.ledger import LEDGER
from retouch.engine.pages import expect_pages_version, load_pages
from retouch.engine.recipe import grouped
from retouch.engine.record import Record, write_stored
from retouch.engine.scrub_journal import finish_abandoned_scrub
from retouch.engine.stored_files import IR, PROMPTS, changed_files, file_hashes, is_latest
from retouch.engine.types import Prompt, prompt_hash
from retouch.errors import BadInput, RecipeBug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import TypeAdapter

    from retouch._lib.disk import Text
    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import Recipe

S = TypeVar("S")

VERSION = 1
NO_TEXTS: Mapping[str, str] = {}
_IR_KEYS: Mapping[str, Any] = {"version": int, "recipe": str, "source": object, "validation": dict}
_PROMPT_KEYS = {"type_name": str, "is_root": bool, "page": int, "total_pages": int, "system": str, "user": str}
_ADAPTERS: dict[type, Any] = {}


@dataclass(frozen=True, kw_only=True)
class Ir(Generic[S]):
    """The content of `ir.json`: the source, its hash (of the source alone), and the validation summary per unit."""

    recipe: str
    source: S
    hash: str
    validation: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class RunView:
    """A read-only view of a run directory, while another process may be writing.

    `changed` are JSON files that differ from the run's version. Changed rows of the ledger are in `history.damage`.
    """

    directory: Path
    recipe: str
    validation: Mapping[str, Any]
    prompts: tuple[Prompt, ...]
    history: History
    changed: tuple[str, ...] = ()


def open_run(directory: Path) -> RunView:
    """Return the content of a run directory without locks and writes.

    Raises:
        BadInput: it is not a run directory.
        BrokenFile: one of its files is damaged.
    """
    finish_abandoned_scrub(directory)
    hashes = file_hashes(directory)
    ir = _ir_content(directory)
    load_pages(directory, whole=False)
    history = read_history(directory / LEDGER)
    history.add_missing_parts()
    changed = changed_files(hashes, history)
    prompts = load_prompts(directory, history.texts)
    expect_prompts(directory, prompts, history)
    return RunView(
        directory=directory,
        recipe=ir["recipe"],
        validation={} if IR in changed else ir["validation"],  # the ledger then says how the units are
        prompts=prompts,
        history=history,
        changed=changed,
    )


def expect_prompts(directory: Path, prompts: Sequence[Prompt], history: History) -> None:
    """Check that a run with answers has prompts. Without prompts nothing would be checked, and all would pass.

    Raises:
        BrokenFile: it has none.
    """
    if not prompts and history.answers:
        raise broken(directory / PROMPTS, "it contains no prompts, but the ledger has answers")


def save_plan(
    record: Record,
    directory: Path,
    recipe: Recipe[S, Any],
    source: S,
    prompts: Sequence[Prompt],
    *,
    before: tuple[Ir[S] | None, Sequence[Prompt]],
) -> None:
    """Write `ir.json` and `prompts.json` atomically if they differ from the files, whose content is `before`."""
    ir, stored = before
    is_same = len(stored) == len(prompts) and all(map(_is_same_prompt, stored, prompts))
    files: dict[str, Text] = {}
    if not (is_same and is_latest(directory, PROMPTS, record.history)):
        files[PROMPTS] = partial(prompts_text, prompts)
    if ir is None or ir.hash != source_hash(recipe, source):
        files[IR] = ir_text(recipe, source, {})
    write_stored(record, directory, files)


def prompts_text(prompts: Sequence[Prompt]) -> Iterator[str]:
    """Yield the text of `prompts.json` in pieces: a bare list, one object per prompt."""
    schemas: dict[int, RenderedJson] = {}  # by the identity of a schema, which many of these prompts share
    yield from json_list(
        prompt.to_json() if prompt.answer_schema is None else _with_schema(prompt, prompt.answer_schema, schemas)
        for prompt in prompts
    )
    yield "\n"


def _is_same_prompt(one: Prompt, other: Prompt) -> bool:
    """Compare the hashes too: in Python, a schema with `1` equals one with `true`."""
    return one == other and prompt_hash(one) == prompt_hash(other)


def _with_schema(prompt: Prompt, schema: Mapping[str, Any], schemas: dict[int, RenderedJson]) -> dict[str, JSON]:
    rendered = schemas.get(id(schema)) or schemas.setdefault(id(schema), rendered_json(schema))
    return {**prompt.to_json(), "answer_schema": rendered}


def ir_text(recipe: Recipe[S, Any], source: S, validation: Mapping[str, JSON]) -> str:
    """Return the text of `ir.json`."""
    return json_text(_ir_of(recipe, source, validation))


def has_ir(directory: Path, recipe: Recipe[S, Any], source: S, validation: Mapping[str, JSON]) -> bool:
    """Return whether `ir.json` has this source and this validation summary."""
    try:
        content = json.loads((directory / IR).read_bytes())
    except (OSError, ValueError):
        return False
    return content == _ir_of(recipe, source, validation)


def _ir_of(recipe: Recipe[S, Any], source: S, validation: Mapping[str, JSON]) -> dict[str, Any]:
    plain = _adapter(recipe).dump_python(source, mode="json")
    return {"version": VERSION, "recipe": recipe.name, "source": plain, "validation": validation}


def clean_source(recipe: Recipe[S, Any], source: S) -> S:
    """Return `source` without the secrets of this environment, so that no prompt or file contains them."""
    clean = redactor()
    if not clean.secrets:
        return source
    plain = _adapter(recipe).dump_python(source, mode="json")
    cleaned = clean.value(plain)
    return source if cleaned is plain else _adapter(recipe).validate_python(cleaned)


def source_hash(recipe: Recipe[S, Any], source: S) -> str:
    """Return `ir_hash`: the hash of the source alone, without validation summary, paths or clock."""
    return canonical_hash(_adapter(recipe).dump_python(source, mode="json"))


def _adapter(recipe: Recipe[S, Any]) -> TypeAdapter[S]:
    from pydantic import TypeAdapter

    if recipe.source not in _ADAPTERS:
        _ADAPTERS[recipe.source] = TypeAdapter(recipe.source)
    return _ADAPTERS[recipe.source]


def load_ir(directory: Path, recipe: Recipe[S, Any]) -> Ir[S]:
    """Return the content of `ir.json`, with the source as the recipe's own type.

    Raises:
        BadInput: the directory has none, or it belongs to another recipe.
        BrokenFile: it cannot be read; the message names the key.
    """
    from pydantic import ValidationError

    data = _ir_content(directory)
    if data["recipe"] != recipe.name:
        hint = "Choose another directory with -o."
        raise BadInput(f"{str(directory)!r} is a run of {data['recipe']!r}, not of {recipe.name!r}", hint=hint)
    try:
        source = _adapter(recipe).validate_python(data["source"])
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in ("source", *first["loc"]))
        raise broken(directory / IR, f"key {key!r}: {first['msg']}") from error
    return Ir(recipe=recipe.name, source=source, hash=source_hash(recipe, source), validation=data["validation"])


def _ir_content(directory: Path) -> dict[str, Any]:
    """Return the content of `ir.json`. A newer version is refused before its other keys are read."""
    path = directory / IR
    data = stored_object(path, {"version": int})
    expect_version(path, data["version"], VERSION)
    expect(path, data, _IR_KEYS, at="")
    return data


def load_prompts(directory: Path, texts: Mapping[str, str] = NO_TEXTS) -> tuple[Prompt, ...]:
    """Return the stored prompts in order. Texts that are in `texts` by hash are shared, not copied.

    Raises:
        BrokenFile: a key is missing or of the wrong kind, or an identity is a duplicate.
    """
    path = directory / PROMPTS
    prompts: list[Prompt] = []
    systems: dict[str, str] = {}
    seen: set[tuple[str, int]] = set()

    def take(place: int, one: object) -> None:
        expect(path, one, _PROMPT_KEYS, at=f"[{place}]")
        data = cast("dict[str, Any]", one)
        known = {key: data[key] for key in _PROMPT_KEYS}
        if "answer_schema" in data:
            expect(path, data, {"answer_schema": dict}, at=f"[{place}]")
            known["answer_schema"] = shared_json(canonical_json(data["answer_schema"]))
        prompt = with_shared_texts(Prompt.from_json(known), texts)
        if prompt.key in seen:
            raise broken(path, f"[{place}]: {prompt.unit!r} page {prompt.page} is there twice")
        seen.add(prompt.key)
        prompts.append(with_fields(prompt, system=systems.setdefault(prompt.system, prompt.system)))

    stored_list(path, "prompts", take)
    try:
        grouped(prompts)
    except RecipeBug as error:
        raise broken(path, error.message) from error
    return tuple(prompts)


def with_shared_texts(prompt: Prompt, texts: Mapping[str, str]) -> Prompt:
    """Return `prompt` with shared text objects from `texts` (by hash), so that each text is in memory once."""
    if not texts:
        return prompt
    system = texts.get(text_hash(prompt.system), prompt.system)
    user = texts.get(text_hash(prompt.user), prompt.user)
    return with_fields(prompt, system=system, user=user)


def check_directory(directory: Path, recipe: Recipe[S, Any]) -> Ir[S] | None:
    """Refuse a directory that belongs to another recipe or a newer version of Retouch, and return its `ir.json`.

    A new directory is accepted. It has none.

    Raises:
        BadInput: it belongs to another recipe.
        BrokenFile: `ir.json` cannot be read, or it or `pages.json` is newer.
    """
    expect_pages_version(directory)
    return load_ir(directory, recipe) if (directory / IR).exists() else None
