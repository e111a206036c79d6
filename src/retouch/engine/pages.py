"""`pages.json`: the current answers, derived from the ledger. Also imports a file that another tool wrote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from retouch._lib.json_stream import broken, expect, expect_version, stored_object_of
from retouch._lib.json_text import json_list, json_text
from retouch.engine.events import WHOLE_UNIT, StoredAnswer, UnitSettled
from retouch.engine.stored_files import PAGES
from retouch.engine.types import prompt_hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from retouch._lib.json_text import JSON
    from retouch.engine.history import History
    from retouch.engine.record import Record
    from retouch.engine.types import Prompt

VERSION = 1
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
        "version": VERSION,
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
        expect_version(path, version, VERSION)

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
    expect_version(path, found["version"], VERSION)
    return {**found, "pages": pages}


def expect_pages_version(directory: Path) -> None:
    """Require that this version of Retouch knows the version of `pages.json`, if the file exists.

    Raises:
        BrokenFile: it is newer, or the file cannot be read.
    """
    path = directory / PAGES
    version = _version_in_head(path) if path.exists() else None
    if version is not None:
        expect_version(path, version, VERSION)
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
    needed = not (record.history.answers or record.history.attempts)
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
