"""The run folder: `ir.json`, `prompts.json`, `pages.json`, `ledger.db` and the files.

The ledger is the truth; `pages.json` and the files are views of it that can be made again. Loading validates: a broken
file is named with its key and the remedy, and never overwritten.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from retouch.engine.core import Prompt
from retouch.engine.disk import json_list, json_text, write_changed
from retouch.engine.errors import BadInput, BrokenFile, RecipeBug
from retouch.engine.hashing import canonical_hash
from retouch.engine.history import History, read_history
from retouch.engine.units import grouped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import TypeAdapter

    from retouch.engine.core import JSON
    from retouch.engine.disk import Text
    from retouch.engine.recipe import Recipe

S = TypeVar("S")

IR, PROMPTS, PAGES, LEDGER = "ir.json", "prompts.json", "pages.json", "ledger.db"
VERSION = 1


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
    pages: Mapping[str, Any]
    history: History


def open_run(folder: Path) -> RunView:
    """Return what the run folder holds, without locking or changing anything.

    Raises:
        BadInput: the folder is not a run folder.
        BrokenFile: one of its files is damaged.
    """
    ir = _object(folder / IR, {"version": int, "recipe": str, "source": object, "validation": dict})
    return RunView(
        folder=folder,
        recipe=ir["recipe"],
        validation=ir["validation"],
        prompts=load_prompts(folder),
        pages=load_pages(folder) or {},
        history=read_history(folder / LEDGER),
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

    data = _object(folder / IR, {"version": int, "recipe": str, "source": object, "validation": dict})
    if data["recipe"] != recipe.name:
        hint = "Name another folder with -o."
        raise BadInput(f"{str(folder)!r} is a run of {data['recipe']!r}, not of {recipe.name!r}", hint=hint)
    try:
        source = _adapter(recipe).validate_python(data["source"])
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in ("source", *first["loc"]))
        raise _broken(folder / IR, f"key {key!r}: {first['msg']}") from error
    return Ir(recipe=recipe.name, source=source, hash=source_hash(recipe, source), validation=data["validation"])


def load_prompts(folder: Path) -> tuple[Prompt, ...]:
    """Return the stored prompts in order.

    Raises:
        BrokenFile: a key is missing or of the wrong kind, or an identity stands twice.
    """
    path = folder / PROMPTS
    found = _json(path)
    if not isinstance(found, list):
        raise _broken(path, f"expected a list of prompts, found {type(found).__name__}")
    prompts = tuple(_prompt(path, place, one) for place, one in enumerate(cast("list[object]", found)))
    _expect_once(path, [prompt.key for prompt in prompts], at="[{}]")
    try:
        grouped(prompts)
    except RecipeBug as error:
        raise _broken(path, error.message) from error
    return prompts


def _expect_once(path: Path, keys: Sequence[tuple[str, int]], *, at: str) -> None:
    seen: set[tuple[str, int]] = set()
    for place, (name, page) in enumerate(keys):
        if (name, page) in seen:
            raise _broken(path, f"{at.format(place)}: {name!r} page {page} stands twice")
        seen.add((name, page))


def stored_prompts(folder: Path) -> tuple[Prompt, ...] | None:
    """Return the stored prompts, None in a folder that has none yet."""
    return load_prompts(folder) if (folder / PROMPTS).exists() else None


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
    _expect(path, one, kinds, at=f"[{place}]")
    data = cast("dict[str, Any]", one)
    return Prompt(**{key: data[key] for key in kinds})


def load_pages(folder: Path) -> dict[str, Any] | None:
    """Return `pages.json`, None when there is none.

    Raises:
        BrokenFile: it is not what the format says.
    """
    path = folder / PAGES
    if not path.exists():
        return None
    pages = _object(path, {"version": int, "ir_hash": str, "pages": list})
    for place, page in enumerate(pages["pages"]):
        _expect(path, page, {"type_name": str, "page": int, "output": (str, type(None))}, at=f"pages[{place}]")
        if "prompt_hash" in page:
            _expect(path, page, {"prompt_hash": str}, at=f"pages[{place}]")
    _expect_once(path, [(page["type_name"], page["page"]) for page in pages["pages"]], at="pages[{}]")
    return pages


def _adapter(recipe: Recipe[S, Any]) -> TypeAdapter[S]:
    return _ADAPTERS.setdefault(recipe.source, _new_adapter(recipe))


def _new_adapter(recipe: Recipe[S, Any]) -> TypeAdapter[S]:
    from pydantic import TypeAdapter

    return _ADAPTERS[recipe.source] if recipe.source in _ADAPTERS else TypeAdapter(recipe.source)


_ADAPTERS: dict[type, Any] = {}


def _object(path: Path, kinds: Mapping[str, Any]) -> dict[str, Any]:
    found = _json(path)
    _expect(path, found, kinds, at="")
    return cast("dict[str, Any]", found)


def _json(path: Path) -> object:
    if not path.exists():
        hint = "Run 'retouch generate' to make one, or name the folder of an earlier run."
        raise BadInput(f"{str(path.parent)!r} is not a run folder: it has no {path.name}", hint=hint)
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise _broken(path, f"byte {error.start} is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise _broken(path, f"line {error.lineno} column {error.colno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # numbers of thousands of digits, thousands of brackets
        raise _broken(path, str(error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _expect(path: Path, found: object, kinds: Mapping[str, Any], *, at: str) -> None:
    if not isinstance(found, dict):
        raise _broken(path, f"{at or 'the file'} should be an object, found {type(found).__name__}")
    data = cast("dict[str, object]", found)
    for key, kind in kinds.items():
        name = f"{at}.{key}" if at else key
        if key not in data:
            raise _broken(path, f"key {name!r} is missing")
        if not isinstance(data[key], kind) or (kind is int and isinstance(data[key], bool)):
            raise _broken(path, f"key {name!r} has the wrong kind: {type(data[key]).__name__}")


def _broken(path: Path, what: str) -> BrokenFile:
    hint = "Put back an earlier copy, or move the file away and run 'retouch generate' again; it was left as it is."
    return BrokenFile(f"{str(path)!r} is broken: {what}", hint=hint)
