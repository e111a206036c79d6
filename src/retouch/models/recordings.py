"""The file of recorded replies: JSON lines, one reply per line, keyed by the hash of the whole request."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from retouch.engine.types import Reply, request_hash
from retouch.errors import BadInput, BrokenFile
from retouch.models.named import wrapping

if TYPE_CHECKING:
    from os import PathLike

    from retouch.engine.types import Model, OnEvent, Request


class Recording(BaseModel):
    """One line: the hash of the request, its unit and page, and the reply."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    request_hash: str
    unit: str
    page: int
    reply: Reply


_LINE = TypeAdapter(Recording)


def read_recordings(path: str | PathLike[str]) -> list[Recording]:
    """Return the recordings of the file `path`, in order. Empty lines are skipped.

    Raises:
        BadInput: there is no such file, or it cannot be read.
        BrokenFile: a line is not a recording; the message has the line's number.
    """
    lines = _content(Path(path)).splitlines()
    return [_recording(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def recording(model: Model, path: str | PathLike[str]) -> Model:
    """Return `model` with every reply appended to the file `path`, which `replay:` reads.

    The file is created when the first reply arrives. A line is flushed before its reply is returned.

    Raises:
        BadInput: from a call, if the line cannot be written.
    """
    target = Path(path)

    async def recorded(request: Request, on_event: OnEvent | None) -> Reply:
        reply = await model(request, on_event=on_event)
        unit, page = request.prompt.key
        writable = replace(
            reply, text=reply.text.encode("utf-8", "replace").decode()
        )  # lone surrogates cannot be encoded in UTF-8
        line = Recording(request_hash=request_hash(request), unit=unit, page=page, reply=writable)
        _append(target, line.model_dump_json())
        return reply

    return wrapping(model, recorded)


def _append(path: Path, line: str) -> None:
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(line + "\n")
    except OSError as error:
        raise BadInput(
            f"the recording {str(path)!r} cannot be written: {error.strerror}",
            hint="Give a file in an existing directory that you can write to.",
        ) from error


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except IsADirectoryError as error:
        raise BadInput(f"the recording {str(path)!r} is a directory", hint="Give a file of JSON lines.") from error
    except OSError as error:
        raise BadInput(
            f"the recording {str(path)!r} cannot be read: {error.strerror}",
            hint="Record one first, or check the path after 'replay:'.",
        ) from error


def _recording(path: str | PathLike[str], number: int, line: bytes) -> Recording:
    try:
        return _LINE.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        raise BrokenFile(
            f"line {number} of {str(path)!r} is not a recorded reply: {key + ': ' if key else ''}{first['msg']}",
            hint="Remove the line or record the replies again.",
        ) from error
