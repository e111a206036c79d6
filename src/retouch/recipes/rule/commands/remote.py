"""Lists and reads files of S3, Cloud Storage, HTTP and the other file systems of fsspec."""

from __future__ import annotations

import re
from contextlib import contextmanager
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote

from retouch.errors import BadInput, MissingTool

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

_URL = re.compile(r"[a-z][a-z0-9+.-]*://.")
_BELOW = "Check the URL; it lists what is below it, not what begins with it."
_LOCAL = ("file", "local")
_ENCODED = ("http", "https")


def is_remote(word: str) -> bool:
    """Return whether an argument is a URL."""
    return _URL.match(word) is not None


def remote_files(url: str) -> Iterator[tuple[str, str]]:
    """Yield the files below a URL, directory by directory: their URL and their path.

    The scheme is no part of a path. A path begins with the bucket, or with the host if the scheme is http or https,
    whose pages link to `dt%3D2024` for the directory `dt=2024`.

    Raises:
        MissingTool: fsspec, or what it needs for this scheme, is not installed.
        BadInput: the listing cannot be read.
    """
    files, top = _opened(url)
    scheme = url.partition("://")[0]
    found = 0
    with _errors_of(url):
        for _, _, names in files.walk(top, detail=True, on_error="raise"):  # else an unreadable directory is left out
            for entry in sorted(names.values(), key=lambda one: one["name"]):
                found += 1
                path = _path_of(str(files.unstrip_protocol(entry["name"])))
                shown = f"{scheme}://{path.lstrip('/') if scheme not in _LOCAL else path}"
                yield shown, unquote(path) if scheme in _ENCODED else path
    if not found:
        raise BadInput(f"{url!r} has no files", hint=_BELOW)


@contextmanager
def remote_file(url: str) -> Generator[IO[bytes]]:
    """Open a file of lines that a URL names."""
    files, path = _opened(url)
    with _errors_of(url), files.open(path, "rb") as stream:
        yield stream


def _path_of(url: str) -> str:
    return "/" + url.partition("://")[2].strip("/")


def _opened(url: str) -> tuple[Any, str]:
    try:
        opener = import_module("fsspec.core").url_to_fs
    except ImportError as error:
        raise MissingTool("URLs need fsspec.", hint="Install it with 'pip install \"retouch[rule]\"'.") from error
    try:
        files, path = opener(url)
    except ImportError as error:
        raise MissingTool(f"{url!r} needs a package: {error}", hint="Install what the message names.") from error
    except ValueError as error:
        raise BadInput(
            f"{url!r} is no URL that can be listed: {error}", hint="Give s3://, gs:// or https://."
        ) from error
    return files, str(path)


@contextmanager
def _errors_of(url: str) -> Generator[None]:
    try:
        yield
    except BadInput:
        raise
    except FileNotFoundError as error:
        raise BadInput(f"{url!r} has no files: {error}", hint=_BELOW) from error
    except Exception as error:  # each file system has its own errors
        if type(error).__module__.startswith("retouch"):
            raise
        hint = "Check the URL, the network, and the credentials in your environment."
        raise BadInput(f"{url!r} cannot be read: {type(error).__name__}: {error}", hint=hint) from error
