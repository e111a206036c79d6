"""Reads a file or address into a JSON value: limits, encodings, and errors with line and column."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from retouch.errors import BadInput
from retouch.recipes.csharp.language.prose import HALF_A_PAIR

if TYPE_CHECKING:
    from pathlib import Path

    from retouch._lib.json_text import JSON

MAX_BYTES = 150_000_000
_REMOTE_WAIT_S = 20


def read_bytes(path: Path, *, name: str, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the bytes of a regular file. `name` is used in messages.

    Raises:
        BadInput: no such file, a directory or device, unreadable, empty, or larger than `max_bytes`.
    """
    try:
        if path.is_dir():
            raise BadInput(f"{name!r} is a directory", hint="Name the OpenAPI file inside it.")
        if not path.exists():
            address = name.startswith(("http:", "https:"))
            hint = (
                "Download the document, and give the path of the file."
                if address
                else "Check the path of the OpenAPI document."
            )
            raise BadInput(f"there is no file {name!r}", hint=hint)
        if not path.is_file():
            raise BadInput(f"{name!r} is not a regular file", hint="Save the document to a file first.")
        with path.open("rb") as stream:
            data = stream.read(max_bytes + 1)
    except OSError as problem:
        raise BadInput(f"cannot read {name!r}: {problem.strerror}", hint="Check its permissions.") from problem
    except ValueError as problem:
        raise BadInput(f"{name!r} is not a path: {problem}", hint="Check the path of the document.") from None
    return _checked(data, name, max_bytes)


def fetch_bytes(address: str, *, max_bytes: int = MAX_BYTES) -> bytes:
    """Return the content of an http(s) address.

    Raises:
        BadInput: it cannot be fetched, is empty, or is larger than `max_bytes`.
    """
    import urllib.request

    if not address.startswith(("http://", "https://")):
        raise BadInput(f"{address!r} is not an http address", hint="Only http and https references can be fetched.")
    try:
        with urllib.request.urlopen(address, timeout=_REMOTE_WAIT_S) as stream:  # noqa: S310 - checked just above
            data: bytes = stream.read(max_bytes + 1)
    except (OSError, ValueError) as problem:
        raise BadInput(
            f"cannot fetch {address!r}: {problem}", hint="Save it in the directory of the document."
        ) from problem
    return _checked(data, address, max_bytes)


def _checked(data: bytes, name: str, max_bytes: int) -> bytes:
    if len(data) > max_bytes:
        raise BadInput(
            f"{name!r} is larger than the limit of {max_bytes:,} bytes",
            hint="Split the document, or bundle only the part that is needed.",
        )
    if not data.strip():
        raise BadInput(
            f"{name!r} is empty", hint="An OpenAPI document starts with 'openapi: 3.x' or 'swagger: \"2.0\"'."
        )
    return data


def parse_text(data: bytes, name: str) -> tuple[JSON, list[str]]:
    """Return the value of a JSON or YAML text, and warnings about it. `name` is used in messages.

    The content decides: if it starts like JSON it is read as JSON. If that fails and the name does not end in `.json`,
    it is read as YAML.

    Raises:
        BadInput: not text, or neither JSON nor YAML, with line and column if they are known.
    """
    encoding = "utf-16" if data[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    hint = "An OpenAPI document is JSON or YAML text in UTF-8."
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as problem:
        raise BadInput(f"{name!r} is not text: byte {problem.start} is not UTF-8", hint=hint) from None
    if "\0" in text[:4096]:
        raise BadInput(f"{name!r} is a binary file", hint=hint)
    looks_like_json = text.lstrip()[:1] in {"{", "["}
    if name.endswith(".json") or looks_like_json:
        try:
            return _json(text, name), []
        except BadInput:
            if name.endswith(".json") or not looks_like_json:
                raise
            first = text.lstrip()[1:2]
            if first in {'"', "{", "["} or "\n" not in text:
                raise
    from retouch._lib.yaml12 import YamlError, parse_yaml

    try:
        return parse_yaml(text)
    except YamlError as problem:
        where = f" line {problem.line}, column {problem.column}:" if problem.line else ""
        hint = "Correct the document at this place."
        raise BadInput(f"{name!r} is not valid YAML:{where} {problem}", hint=hint) from None


def _json(text: str, name: str) -> JSON:
    try:
        value: JSON = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as problem:
        raise BadInput(
            f"{name!r} is not valid JSON: line {problem.lineno}, column {problem.colno}: {problem.msg}",
            hint="Correct the document at this place. A JSON linter shows the same error.",
        ) from None
    except RecursionError:
        raise BadInput(f"{name!r} is nested too deeply", hint="Check that it is an OpenAPI document.") from None
    except ValueError as problem:
        raise BadInput(f"{name!r} is not valid JSON: {problem}", hint="Write the number as a string.") from None
    return _without_surrogates(value) if "\\ud" in text or "\\uD" in text else value


def _refuse(constant: str) -> JSON:
    raise ValueError(f"{constant} is not a JSON number")


def _without_surrogates(value: JSON) -> JSON:
    """Return the value with lone surrogates replaced, because they cannot be written as UTF-8."""
    if isinstance(value, str):
        return HALF_A_PAIR.sub("\ufffd", value)
    if isinstance(value, dict):
        return {HALF_A_PAIR.sub("\ufffd", key): _without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    return value
