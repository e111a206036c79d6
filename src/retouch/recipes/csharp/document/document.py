"""An OpenAPI document: its files, read on demand, and the resolution of its references."""

from __future__ import annotations

import os
import posixpath
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast
from urllib.parse import unquote, urljoin

from retouch.errors import BadInput
from retouch.recipes.csharp.document.nodes import DocumentNode, tokens_of
from retouch.recipes.csharp.document.texts import MAX_BYTES, fetch_bytes, parse_text, read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from retouch._lib.json_text import JSON

T = TypeVar("T")
_LONGEST_CHAIN = 50
_LONG_TIME = re.compile(rb"T\d\d:\d\d:\d\d\.\d{8}")  # C# keeps seven digits of a second
_CIRCLE = "Break the circle of $refs."


class UnresolvedRef(BadInput):
    """A `$ref` that has no target, is circular, or refers to a place that must not be read."""


def load_document(path: Path | str, *, allow_remote: bool = False, max_bytes: int = MAX_BYTES) -> Document:
    """Return the OpenAPI 3.x or Swagger 2.0 document of a JSON or YAML file. Other files are read when a `$ref` needs
    them.

    Raises:
        BadInput: the file cannot be read, is larger than `max_bytes`, or is not an OpenAPI document.
    """
    path = Path(path)
    data = read_bytes(path, name=str(path), max_bytes=max_bytes)
    value, warnings = parse_text(data, path.name)
    if not isinstance(value, dict):
        kind = "a list" if isinstance(value, list) else "a single value"
        raise BadInput(f"{path.name!r} holds {kind}, not an OpenAPI document", hint=_WANTED)
    known = [key for key in ("openapi", "swagger", "paths", "components", "definitions") if key in value]
    if not known:
        seen = ", ".join(repr(key)[:40] for key in list(value)[:5]) or "no keys"
        raise BadInput(f"{path.name!r} is not an OpenAPI document: it has {seen}", hint=_WANTED)
    version = str(value.get("openapi", value.get("swagger", "3.0")))
    if not version.startswith(("2.", "3.")):
        raise BadInput(f"{path.name!r} has the unsupported version {version!r}", hint=_WANTED)
    return Document(
        path=path,
        root=DocumentNode(file="", pointer="", value=value),
        warnings=warnings,
        notes=tuple(warnings),
        has_long_times=_LONG_TIME.search(data) is not None,
        is_swagger_2="swagger" in value and "openapi" not in value,
        allow_remote=allow_remote,
        bytes_left=max_bytes,
        files={"": value},
    )


_WANTED = "OpenAPI 3.0, 3.1 and Swagger 2.0 can be read; the document needs 'openapi' or 'swagger' and 'paths'."


@dataclass(eq=False, kw_only=True)
class Document:
    """One OpenAPI document and its files. It also caches values that are computed from it (see `once`).

    `notes` are the warnings about the document's own file. `warnings` grows when more files are read.
    `has_long_times` is whether the document's own file has a time with more digits than C# keeps. `files` are the
    values of the files that were read, and `bytes_left` is how much more may be read.
    """

    path: Path
    root: DocumentNode
    warnings: list[str]
    notes: tuple[str, ...]
    has_long_times: bool
    is_swagger_2: bool
    allow_remote: bool
    bytes_left: int
    files: dict[str, JSON]
    _targets: dict[tuple[str, str], DocumentNode] = field(
        init=False, default_factory=dict["tuple[str, str]", DocumentNode]
    )
    _finding: set[tuple[str, str]] = field(init=False, default_factory=set["tuple[str, str]"])
    _made: dict[object, object] = field(init=False, default_factory=dict[object, object])

    def once(self, make: Callable[[Document], T]) -> T:
        """Return `make(document)`, computed on the first call and cached with the document."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast("T", self._made[make])

    def follow(self, node: DocumentNode) -> DocumentNode:
        """Return the node, or the end of its `$ref` chain.

        Raises:
            UnresolvedRef: the chain cannot be resolved, is circular, or refers to a place that must not be read.
        """
        for _ in range(_LONGEST_CHAIN):
            ref = node.value.get("$ref") if isinstance(node.value, dict) else None
            if not isinstance(ref, str):
                return node
            node = self.target(node, ref)
        raise UnresolvedRef(f"the reference at {node.place!r} leads in a circle", hint=_CIRCLE)

    def under(self, node: DocumentNode, *keys: str) -> DocumentNode:
        """Return the node that `keys` lead to. References on the way are followed.

        Raises:
            UnresolvedRef: as in `follow`.
        """
        node = self.follow(node)
        for key in keys:
            node = self.follow(node.child(key))
        return node

    def target(self, node: DocumentNode, ref: str) -> DocumentNode:
        """Return the node that `ref` names in the file of `node`: one step of a chain.

        Raises:
            UnresolvedRef: there is no such node, or it must not be read.
        """
        wanted = (node.file, ref)
        if wanted in self._targets:
            return self._targets[wanted]
        if wanted in self._finding:
            raise UnresolvedRef(f"the reference {ref!r} leads in a circle", hint=_CIRCLE)
        where, _, fragment = ref.partition("#")
        file = self._file(node.file, where, ref) if where else node.file
        if file not in self.files:
            self.files[file] = self._read(file, ref)
        found = DocumentNode(file=file, pointer="", value=self.files[file])
        if fragment and not fragment.startswith("/"):
            found = _anchored(found, unquote(fragment), ref)
        self._finding.add(wanted)
        try:
            for token in map(unquote, tokens_of(fragment) if fragment.startswith("/") else ()):
                if isinstance(found.value, dict) and token not in found.value and "$ref" in found.value:
                    found = self.follow(found)
                above, found = found, found.child(token)
                if found.value is None and not (isinstance(above.value, dict) and token in above.value):
                    raise UnresolvedRef(
                        f"the reference {ref!r} leads nowhere: {above.place!r} has no {token!r}",
                        hint="Add the missing part to the document, or correct the reference.",
                    )
        finally:
            self._finding.remove(wanted)
        self._targets[wanted] = found
        return found

    def _file(self, file: str, where: str, ref: str) -> str:
        """Return the file name in a reference, relative to the document's directory."""
        if "://" in where or "://" in file:
            return urljoin(file, where)
        where = unquote(where).replace("\\", "/")
        if posixpath.isabs(where) or Path(where).is_absolute():
            raise UnresolvedRef(f"the reference {ref!r} names an absolute path", hint="Make it relative.")
        found = posixpath.normpath(posixpath.join(posixpath.dirname(file), where))
        return "" if found == self.path.name else found

    def _read(self, file: str, ref: str) -> JSON:
        remote = "://" in file
        if remote and not self.allow_remote:
            raise UnresolvedRef(
                f"the reference {ref!r} leads to another machine", hint="Allow remote references, or save it as a file."
            )
        try:
            limit = self.bytes_left
            if remote:
                data = fetch_bytes(file, max_bytes=limit)
            else:
                data = read_bytes(Path(os.path.normpath(self.path.parent / file)), name=file, max_bytes=limit)
            self.bytes_left -= len(data)
            value, warnings = parse_text(data, file)
        except BadInput as problem:
            raise UnresolvedRef(f"the reference {ref!r} cannot be read: {problem.message}", hint=problem.hint) from None
        self.warnings += [f"{file}: {warning}" for warning in warnings]
        return value


def _anchored(top: DocumentNode, name: str, ref: str) -> DocumentNode:
    """Return the schema with this `$anchor` or `$dynamicAnchor` (JSON Schema 2020-12, section 8.2.2)."""
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if isinstance(node.value, dict) and name in (node.value.get("$anchor"), node.value.get("$dynamicAnchor")):
            return node
        waiting += node.members()
        waiting += node.elements()
    raise UnresolvedRef(f"the reference {ref!r} leads nowhere: no $anchor {name!r}", hint="Correct the reference.")
