"""The JSON files of a run: `ir.json`, `prompts.json` and `pages.json`, which holds the current answers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from retouch._lib.frozen import with_fields
from retouch._lib.hashing import canonical_hash, schema_text, text_hash
from retouch._lib.json_stream import broken, expect, expect_version, stored_list, stored_object, stored_object_of
from retouch._lib.json_text import RenderedJson, json_list, json_text, rendered_json, shared_json
from retouch._lib.redaction import redactor
from retouch.engine.events import WHOLE_UNIT, StoredAnswer, UnitSettled
from retouch.engine.history import History, read_history
from retouch.engine.ledger import LEDGER
from retouch.engine.recipe import grouped
from retouch.engine.record import Record, write_stored
from retouch.engine.stored_files import (
    IR,
    PAGES,
    PROMPTS,
    changed_files,
    file_hash,
    file_hashes,
    finish_abandoned_scrub,
    hash_of,
    is_latest,
    is_recorded,
)
from retouch.engine.types import Prompt, prompt_hash
from retouch.errors import BadInput, RecipeBug

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from pydantic import TypeAdapter

    from retouch._lib.disk import Text
    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.recipe import Recipe
    from retouch.engine.record import Record


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
    expect_pages_version(directory)
    history = read_history(directory / LEDGER)
    if not is_recorded(PAGES, hashes, history):  # else the run wrote it, and it is valid
        load_pages(directory, whole=False)
    history.add_missing_parts()
    changed = changed_files(hashes, history)
    prompts = load_prompts(directory, history.texts)
    expect_prompts(directory, prompts, history)
    return RunView(
        directory=directory,
        recipe=ir["recipe"],
        validation={} if IR in changed else ir["validation"],  # the ledger then has the state of the units
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


def stored_prompts(directory: Path, planned: Sequence[Prompt], history: History) -> tuple[Prompt, ...]:
    """Return the content of `prompts.json`, without reading it if it is byte by byte what `planned` would be."""
    if is_latest(directory, PROMPTS, history):
        digest = hash_of(partial(prompts_text, planned))
        if digest == file_hash(directory / PROMPTS):
            return tuple(planned)
    return load_prompts(directory, history.texts)


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
    """Return the stored prompts in order. Strings that are in `texts` by hash are shared, not copied.

    Raises:
        BrokenFile: a key is missing or has an invalid type, or an identity is a duplicate.
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
            known["answer_schema"] = shared_json(schema_text(data["answer_schema"]))
        prompt = Prompt.from_json(known)
        prompt = with_shared_texts(prompt, texts) if texts else prompt
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
    """Return `prompt` with shared string objects from `texts` (by hash), so that each string is in memory once."""
    system = texts.get(text_hash(prompt.system), prompt.system)
    user = texts.get(text_hash(prompt.user), prompt.user)
    return with_fields(prompt, system=system, user=user)


PAGES_VERSION = 1
USER = "person"  # replaces the model's name if the user wrote the answer; a stored value
_VERSION_FIRST = re.compile(rb'\s*\{\s*"version"\s*:\s*(\d{1,9})\s*,')
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens")
_ORIGIN = ("model", "generated_at", *_TOKENS)  # kept with an imported answer, whose attempt is not in the ledger


def pages_text(
    prompts: Sequence[Prompt], history: History, *, ir_hash: str, heading: Mapping[str, JSON]
) -> Iterator[str]:
    """Yield the text of `pages.json` in pieces, parallel to `prompts.json`. A page without an answer has no model."""
    generated_at, model = _latest(prompts, history)
    content: dict[str, Any] = {
        "version": PAGES_VERSION,
        **heading,
        "ir_hash": ir_hash,
        "generated_at": generated_at,
        "model": model,
        "pages": [],
    }
    head, _, tail = json_text(content).rpartition("[]")
    yield head
    yield from json_list((_page_to_json(*one, history) for one in enumerate(prompts)), depth=1)
    yield tail


def _latest(prompts: Sequence[Prompt], history: History) -> tuple[str | None, str | None]:
    """Return the time and the model of the latest answer."""
    origins = (_origin(_answer_shown_at(prompt, history), history) for prompt in prompts)
    known = [(str(one.get("generated_at") or ""), one.get("model")) for one in origins]
    models = [str(model) for _, model in sorted(known, key=lambda one: one[0]) if model]
    return max((at for at, _ in known if at), default=None), models[-1] if models else None


def _page_to_json(index: int, prompt: Prompt, history: History) -> dict[str, JSON]:
    answer = _answer_shown_at(prompt, history)
    origin = _origin(answer, history)
    return {
        "index": index,
        "type_name": prompt.unit,
        "is_root": prompt.is_root,
        "page": prompt.page,
        "total_pages": prompt.total_pages,
        "model": origin.get("model"),
        "generated_at": origin.get("generated_at"),
        "input_tokens": origin.get("input_tokens"),
        "output_tokens": origin.get("output_tokens"),
        "output": answer.text if answer is not None else None,
        "cached_tokens": origin.get("cached_tokens"),
        "prompt_hash": prompt_hash(prompt),
    }


def _origin(answer: StoredAnswer | None, history: History) -> dict[str, JSON]:
    """Return the origin of an answer: its reply, an imported `pages.json`, or the user."""
    if answer is None:
        return {}
    if answer.attempt is None:
        return {"model": USER, "generated_at": answer.at, **answer.origin}
    reply = history.attempts[answer.attempt].reply
    head: dict[str, JSON] = {"model": reply.model if reply is not None else None, "generated_at": answer.at}
    return head if reply is None else {**head, **{key: getattr(reply, key) for key in _TOKENS}}


def _answer_shown_at(prompt: Prompt, history: History) -> StoredAnswer | None:
    """Return the current answer of a page. A manual edit of the whole unit belongs to its first page."""
    adopted = history.adopted(prompt.unit)
    if adopted is not None:
        return adopted if prompt.page == 1 else None
    return history.answer_to(prompt)


def load_pages(directory: Path, *, whole: bool = True) -> dict[str, Any] | None:
    """Return `pages.json`, or None if there is none. Its pages are validated, and only included if `whole` is set.

    Raises:
        BrokenFile: it does not match the format.
    """
    path = directory / PAGES
    if not path.exists():
        return None
    pages: list[Any] = []
    seen: set[tuple[str, int]] = set()
    version = _version_in_head(path)
    if version is not None:  # refuse newer versions before reading pages, whose format may differ
        expect_version(path, version, PAGES_VERSION)

    def take(place: int, page: Any) -> None:
        expect(path, page, {"type_name": str, "page": int, "output": (str, type(None))}, at=f"pages[{place}]")
        if "prompt_hash" in page:
            expect(path, page, {"prompt_hash": str}, at=f"pages[{place}]")
        key = (page["type_name"], page["page"])
        if key in seen:
            raise broken(path, f"pages[{place}]: {key[0]!r} page {key[1]} is there twice")
        seen.add(key)
        if whole:
            pages.append(page)

    found = stored_object_of(path, {"version": int, "ir_hash": str, "pages": list}, "pages", take)
    expect_version(path, found["version"], PAGES_VERSION)
    return {**found, "pages": pages}


def expect_pages_version(directory: Path) -> None:
    """Require that this version of Retouch knows the version of `pages.json`, if the file exists.

    Raises:
        BrokenFile: it is newer, or the file cannot be read.
    """
    path = directory / PAGES
    if not path.exists():
        return
    version = _version_in_head(path)
    if version is not None:
        expect_version(path, version, PAGES_VERSION)
    else:
        load_pages(directory, whole=False)


def _version_in_head(path: Path) -> int | None:
    """Return the version if it is the first key of the file, as in every version of Retouch."""
    with path.open("rb") as file:
        found = _VERSION_FIRST.match(file.read(200))
    return int(found[1]) if found is not None else None


def import_answers(record: Record, directory: Path, prompts: Sequence[Prompt]) -> bool:
    """Import the answers of `pages.json` if the ledger has none. Return whether there were any.

    A page without `prompt_hash` (a file of another tool with the same format) answers the prompt of its identity.

    Raises:
        BrokenFile: `pages.json` cannot be read. This is an error even if it is not needed, since it would be
        overwritten.
    """
    if not (directory / PAGES).exists():
        return False
    needed = not (record.history.answers or record.history.attempts)
    if not needed and is_latest(directory, PAGES, record.history):
        return False  # it is what the run wrote, byte by byte
    pages = load_pages(directory, whole=needed)
    if pages is None or not needed:
        return False
    hashes = {prompt.key: prompt_hash(prompt) for prompt in prompts}
    for page in pages["pages"]:
        key = (page["type_name"], page["page"])
        if page["output"] is None or key not in hashes:
            continue
        whole = page.get("model") == USER
        answer = StoredAnswer(
            text=page["output"],
            attempt=None,
            prompt_hash=page.get("prompt_hash") or hashes[key],
            by=USER if whole else PAGES,
            origin={name: page.get(name) for name in _ORIGIN},
        )
        record.append(UnitSettled(unit=key[0], answers={WHOLE_UNIT if whole else key[1]: answer}))
    return bool(record.history.answers)
