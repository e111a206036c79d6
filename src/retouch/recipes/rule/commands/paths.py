"""Reads the input of the commands about rules: rule files, and paths."""

from __future__ import annotations

import codecs
import io
import itertools
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from retouch.commands import printable
from retouch.errors import BadInput
from retouch.recipes.rule.commands.listings import expect_text, read_listing
from retouch.recipes.rule.commands.remote import is_remote, remote_file, remote_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import IO

    from retouch.recipes.rule import Extraction, ExtractionRule

MAX_RULE_BYTES = 1 << 20
_CHUNK = 1 << 16
_ENCODINGS = {  # by the mark in front: Excel and PowerShell write them
    codecs.BOM_UTF32_LE: "utf-32",  # starts like that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LONGEST_MARK = 4  # bytes
_ENOUGH_LINES = 20  # of a list, to see whether it is the output of a tool

root_option = click.option(
    "--root",
    metavar="DIR",
    help="The directory that relative globs and paths start from. Default: a directory given as PATH, else '/'.",
)


def read_rule_file(file: Path) -> tuple[ExtractionRule, ...]:
    """Return the rules of a file, and print warnings about them to stderr.

    Raises:
        BadInput: the file is not valid; it lists every error with its place and the next step.
    """
    from retouch.recipes.rule import InvalidRule, load_rules
    from retouch.recipes.rule.language.load import decoded

    with file.open("rb") as opened:
        data = opened.read(MAX_RULE_BYTES)
    try:
        rules = load_rules(decoded(data))
    except InvalidRule as error:
        errors = [one for one in error.problems if one.severity == "error"]
        listed = "\n".join(f"{one}\n{one.snippet}".rstrip() for one in errors)
        raise BadInput(f"{str(file)!r} has no usable rule:\n{listed}", hint=error.hint) from None
    for one in rules[0].repaired:
        click.echo(f"{printable(str(file))}: repaired: {one}", err=True)
    for warning in rules[0].warnings:
        if warning.severity == "warning":
            click.secho("warning", fg="yellow", nl=False, err=True)
            click.echo(printable(f" {file}: {warning}"), err=True)
            click.echo(printable(f"    next: {warning.suggestion}"), err=True)
    return rules


class Given(NamedTuple):
    """A path in three forms: as displayed, as rules read it, and the root that it is relative to."""

    shown: str
    path: str
    root: str

    def extracted_by(self, rules: Sequence[ExtractionRule]) -> tuple[ExtractionRule, Extraction]:
        """Return the first of `rules` that matches, and its extraction. If none does, return the first rule with
        UNMATCHED.
        """
        from retouch.recipes.rule import apply_rule

        for rule in rules:
            extraction = apply_rule(rule, self.path, root=self.root)
            if extraction.status != "UNMATCHED":
                return rule, replace(extraction, path=self.shown)
        return rules[0], replace(apply_rule(rules[0], self.path, root=self.root), path=self.shown)


def given_paths(words: Iterable[str], *, root: str | None) -> Iterator[Given]:
    """Yield the paths that the arguments of a command line mean.

    A directory means the files below it, `-` the lines of standard input, `@FILE` the lines of a file. Any other
    argument is a path, even if the file does not exist. A list can be the output of `aws s3 ls`, `ls -l` and the like.
    A URL that ends with `/`, such as `s3://bucket/data/`, means the files below it, and `@URL` the lines of a file.
    Lists are UTF-8, or have the encoding of their byte order mark.
    """
    top = os.path.abspath(root) if root is not None else None  # noqa: PTH100 - a Path would resolve links
    for word in words:
        if word == "-":
            yield from _path_lines(sys.stdin.buffer, top)
        elif word.startswith("@"):
            with remote_file(word[1:]) if is_remote(word[1:]) else Path(word[1:]).open("rb") as stream:
                yield from _path_lines(stream, top)
        elif is_remote(word) and word.endswith("/"):
            yield from (Given(url, path, top or "/") for url, path in remote_files(word))
        elif os.path.isdir(word):  # noqa: PTH112 - it also accepts text that cannot be a path
            yield from _files_below(word, top)
        else:
            yield Given(word, word, top or "/")


def _path_lines(stream: IO[bytes], top: str | None) -> Iterator[Given]:
    """Yield the paths of a list, those of plain lines while the list is still being written."""
    chunks = _in_utf_8(_chunks(stream))
    head = b"".join(_head(chunks))
    whole_lines = head[: head.rfind(b"\n") + 1]
    form = read_listing(_text(whole_lines)).form
    if form or head.lstrip()[:1] in {b"[", b"{"} or head.count(b"\n") < _ENOUGH_LINES:
        listing = read_listing(_text(b"".join((head, *chunks))))
        if listing.form:
            click.echo(f"read as {listing.form}: {len(listing.paths):,} paths", err=True)
        elif form:
            click.echo(f"the list begins like {form}, but is read as plain lines: others do not fit", err=True)
        for path in listing.paths:
            yield Given(path, path, top or "/")
        return
    rest = b""
    root = top or "/"
    for chunk in itertools.chain((head,), chunks):
        done, mark, rest = (rest + chunk).rpartition(b"\n")
        if mark:
            for line in expect_text(_text(done)).split("\n"):
                if path := line.removesuffix("\r"):
                    yield Given(path, path, root)
    if rest:
        path = expect_text(_text(rest)).removesuffix("\r")
        yield Given(path, path, root)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _chunks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what arrives, without waiting until a buffer is full. What was printed is shown before the next wait."""
    read = stream.read1 if isinstance(stream, io.BufferedReader) else stream.read
    while chunk := read(_CHUNK):
        yield chunk
        sys.stdout.flush()


def _in_utf_8(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a list in UTF-8 without a byte order mark, which would be read as a part of the first path.

    Raises:
        BadInput: it is not in the encoding that its mark names.
    """
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= _LONGEST_MARK:
            break
    encoding = next((name for mark, name in _ENCODINGS.items() if first.startswith(mark)), None)
    if encoding is None:
        yield first.removeprefix(codecs.BOM_UTF8)
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for chunk in itertools.chain((first,), chunks):
            yield decoder.decode(chunk).encode()
        yield decoder.decode(b"", final=True).encode()
    except UnicodeDecodeError as error:
        message = f"the list of paths begins like {encoding.upper()}, and is not: {error.reason}"
        raise BadInput(message, hint="Write it as UTF-8.") from error


def _head(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the beginning of a list: enough lines to see what it is, up to the end of one."""
    lines = 0
    for chunk in chunks:
        yield chunk
        lines += chunk.count(b"\n")
        if lines >= _ENOUGH_LINES:
            return


def _files_below(directory: str, top: str | None) -> Iterator[Given]:
    absolute = os.path.abspath(directory)  # noqa: PTH100 - a Path would resolve links
    for at, directories, files in os.walk(absolute, onerror=_print_unreadable):
        directories.sort()
        for name in sorted(files):
            path = os.path.join(at, name)  # noqa: PTH118 - as text: a Path would take time for each of many
            shown = os.path.join(directory, path[len(absolute) :].lstrip("/\\"))  # noqa: PTH118 - the same
            yield Given(shown=shown, path=path, root=top or absolute)


def _print_unreadable(error: OSError) -> None:
    click.echo(printable(f"skipped {error.filename!r}: {error.strerror}"), err=True)
