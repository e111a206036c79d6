"""The run folder: `ir.json`, `prompts.json`, `pages.json`, `ledger.db` and the files.

The ledger is the truth; `pages.json` and the files are views of it that can be made again. Loading validates: a broken
file is named with its key and the remedy, and never overwritten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from retouch._lib.disk import write_changed
from retouch._lib.hashing import canonical_hash, text_hash
from retouch._lib.json_stream import broken, expect, stored_list, stored_object, stored_object_of
from retouch._lib.json_text import json_list, json_text
from retouch._lib.redaction import redactor
from retouch.engine.history import History, read_history
from retouch.engine.recipe import grouped
from retouch.engine.scrub_journal import finish_abandoned_scrub
from retouch.engine.types import Prompt
from retouch.errors import BadInput, RecipeBug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import TypeAdapter

    from retouch._lib.disk import Text
    from retouch._lib.json_text import JSON
    from retouch.engine.recipe import Recipe

S = TypeVar("S")

IR, PROMPTS, PAGES, LEDGER = "ir.json", "prompts.json", "pages.json", "ledger.db"
VERSION = 1
NO_TEXTS: Mapping[str, str] = {}


@dataclass(frozen=True, kw_only=True)
class Ir(Generic[S]):
    """What `ir.json` holds: the source, its hash (of the source alone), and the validation summary per unit."""

    recipe: str
    source: S
    hash: str
    validation: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class RunView:
    """A run folder as a reader sees it; another process may be writing meanwhile."""

    folder: Path
    recipe: str
    validation: Mapping[str, Any]
    prompts: tuple[Prompt, ...]
    history: History


def open_run(folder: Path) -> RunView:
    """Return what the run folder holds, without locking or changing anything.

    Raises:
        BadInput: the folder is not a run folder.
        BrokenFile: one of its files is damaged.
    """
    finish_abandoned_scrub(folder)
    ir = stored_object(folder / IR, {"version": int, "recipe": str, "source": object, "validation": dict})
    load_pages(folder, whole=False)
    history = read_history(folder / LEDGER)
    return RunView(
        folder=folder,
        recipe=ir["recipe"],
        validation=ir["validation"],
        prompts=load_prompts(folder, history.texts),
        history=history,
    )


def save_plan(folder: Path, recipe: Recipe[S, Any], source: S, prompts: Sequence[Prompt]) -> None:
    """Write `ir.json` and `prompts.json` where they differ from what is there, both whole."""
    files: dict[str, Text] = {PROMPTS: partial(prompts_text, prompts)}
    if not _same_source(folder, recipe, source):
        files[IR] = ir_text(recipe, source, {})
    write_changed(folder, files)


def _same_source(folder: Path, recipe: Recipe[S, Any], source: S) -> bool:
    return (folder / IR).exists() and load_ir(folder, recipe).hash == source_hash(recipe, source)


def prompts_text(prompts: Sequence[Prompt]) -> Iterator[str]:
    """Yield the text of `prompts.json` in pieces: the seed's bare list, one object per prompt."""
    yield from json_list(map(vars, prompts))
    yield "\n"


def ir_text(recipe: Recipe[S, Any], source: S, validation: Mapping[str, JSON]) -> str:
    """Return the text of `ir.json`."""
    content = {
        "version": VERSION,
        "recipe": recipe.name,
        "source": _adapter(recipe).dump_python(source, mode="json"),
        "validation": validation,
    }
    return json_text(content)


def clean_source(recipe: Recipe[S, Any], source: S) -> S:
    """Return `source` without the secrets of this environment, so that no prompt or file holds them; else itself."""
    clean = redactor()
    if not clean.secrets:
        return source
    plain = _adapter(recipe).dump_python(source, mode="json")
    cleaned = clean.value(plain)
    return source if cleaned is plain else _adapter(recipe).validate_python(cleaned)


def source_hash(recipe: Recipe[S, Any], source: S) -> str:
    """Return `ir_hash`: the hash of the source alone, without validation summary, paths or clock."""
    return canonical_hash(_adapter(recipe).dump_python(source, mode="json"))


def load_ir(folder: Path, recipe: Recipe[S, Any]) -> Ir[S]:
    """Return what `ir.json` holds, its source read into the recipe's own type.

    Raises:
        BadInput: the folder has none, or it belongs to another recipe.
        BrokenFile: it cannot be read; the message names the key.
    """
    from pydantic import ValidationError

    data = stored_object(folder / IR, {"version": int, "recipe": str, "source": object, "validation": dict})
    if data["recipe"] != recipe.name:
        hint = "Name another folder with -o."
        raise BadInput(f"{str(folder)!r} is a run of {data['recipe']!r}, not of {recipe.name!r}", hint=hint)
    try:
        source = _adapter(recipe).validate_python(data["source"])
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in ("source", *first["loc"]))
        raise broken(folder / IR, f"key {key!r}: {first['msg']}") from error
    return Ir(recipe=recipe.name, source=source, hash=source_hash(recipe, source), validation=data["validation"])


def load_prompts(folder: Path, texts: Mapping[str, str] = NO_TEXTS) -> tuple[Prompt, ...]:
    """Return the stored prompts in order; a text that is among `texts`, by its hash, is that very one.

    Raises:
        BrokenFile: a key is missing or of the wrong kind, or an identity stands twice.
    """
    path = folder / PROMPTS
    prompts: list[Prompt] = []
    systems: dict[str, str] = {}
    once = _Once(path, at="[{}]")

    def take(place: int, one: object) -> None:
        prompt = sharing(_prompt(path, place, one), texts)
        once.expect(place, prompt.key)
        prompts.append(replace(prompt, system=systems.setdefault(prompt.system, prompt.system)))

    stored_list(path, "prompts", take)
    try:
        grouped(prompts)
    except RecipeBug as error:
        raise broken(path, error.message) from error
    return tuple(prompts)


def sharing(prompt: Prompt, texts: Mapping[str, str]) -> Prompt:
    """Return `prompt` with the very texts that are among `texts`, by their hashes: each is held once."""
    if not texts:
        return prompt
    system, user = (texts.get(text_hash(text), text) for text in (prompt.system, prompt.user))
    return replace(prompt, system=system, user=user)


class _Once:
    """Makes sure that no identity stands twice in a file."""

    def __init__(self, path: Path, *, at: str) -> None:
        self._path, self._at = path, at
        self._seen: set[tuple[str, int]] = set()

    def expect(self, place: int, key: tuple[str, int]) -> None:
        if key in self._seen:
            raise broken(self._path, f"{self._at.format(place)}: {key[0]!r} page {key[1]} stands twice")
        self._seen.add(key)


def stored_prompts(folder: Path, texts: Mapping[str, str]) -> tuple[Prompt, ...] | None:
    """Return the stored prompts, with `texts` where they hold them, None in a folder that has none yet."""
    return load_prompts(folder, texts) if (folder / PROMPTS).exists() else None


def check_folder(folder: Path, recipe: Recipe[Any, Any]) -> None:
    """Refuse a folder whose `ir.json` cannot be read or belongs to another recipe; a fresh folder is welcome.

    Raises:
        BadInput: it belongs to another recipe.
        BrokenFile: it cannot be read.
    """
    if (folder / IR).exists():
        load_ir(folder, recipe)


def _prompt(path: Path, place: int, one: object) -> Prompt:
    kinds = {"type_name": str, "is_root": bool, "page": int, "total_pages": int, "system": str, "user": str}
    expect(path, one, kinds, at=f"[{place}]")
    data = cast("dict[str, Any]", one)
    return Prompt(**{key: data[key] for key in kinds})


def load_pages(folder: Path, *, whole: bool = True) -> dict[str, Any] | None:
    """Return `pages.json`, None when there is none; its pages are checked, and left out unless it is `whole`.

    Raises:
        BrokenFile: it is not what the format says.
    """
    path = folder / PAGES
    if not path.exists():
        return None
    pages: list[Any] = []
    once = _Once(path, at="pages[{}]")

    def take(place: int, page: Any) -> None:
        expect(path, page, {"type_name": str, "page": int, "output": (str, type(None))}, at=f"pages[{place}]")
        if "prompt_hash" in page:
            expect(path, page, {"prompt_hash": str}, at=f"pages[{place}]")
        once.expect(place, (page["type_name"], page["page"]))
        if whole:
            pages.append(page)

    found = stored_object_of(path, {"version": int, "ir_hash": str, "pages": list}, "pages", take)
    return {**found, "pages": pages}


def _adapter(recipe: Recipe[S, Any]) -> TypeAdapter[S]:
    return _ADAPTERS.setdefault(recipe.source, _new_adapter(recipe))


def _new_adapter(recipe: Recipe[S, Any]) -> TypeAdapter[S]:
    from pydantic import TypeAdapter

    return _ADAPTERS[recipe.source] if recipe.source in _ADAPTERS else TypeAdapter(recipe.source)


_ADAPTERS: dict[type, Any] = {}
