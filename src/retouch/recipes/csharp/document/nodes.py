"""Nodes of a document: a value, with its file and JSON pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch._lib.json_text import JSON


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class DocumentNode:
    """A value of the document with its location.

    `file` is relative to the document's directory ("" for the document itself). `pointer` is the JSON pointer (RFC
    6901) in the file.
    """

    file: str
    pointer: str
    value: JSON

    @property
    def place(self) -> str:
        """The location as text, such as `#/components/schemas/Pet` or `models/pet.yaml#`. It never depends on the
        machine.
        """
        return f"{self.file}#{self.pointer}"

    def child(self, *tokens: str | int) -> DocumentNode:
        """Return the node below this one. If a key or index is missing, its value is None."""
        value = self.value
        for token in map(str, tokens):
            if isinstance(value, dict):
                value = value.get(token)
            elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
                value = value[int(token)]
            else:
                value = None
        return DocumentNode(file=self.file, pointer=self.pointer + "".join(map(escaped, tokens)), value=value)

    def entries(self) -> Iterator[tuple[str, DocumentNode]]:
        """Yield the key and the node of each member if the value is a mapping."""
        if isinstance(self.value, dict):
            for key, value in self.value.items():
                yield key, DocumentNode(file=self.file, pointer=self.pointer + escaped(key), value=value)

    def members(self) -> Iterator[DocumentNode]:
        """Yield the node of each member if the value is a mapping."""
        return (node for _, node in self.entries())

    def elements(self) -> Iterator[DocumentNode]:
        """Yield the node of each element if the value is a list."""
        if isinstance(self.value, list):
            for index, value in enumerate(self.value):
                yield DocumentNode(file=self.file, pointer=f"{self.pointer}/{index}", value=value)


def escaped(token: str | int) -> str:
    """Return one step of a JSON pointer, with its leading slash."""
    text = str(token)
    return "/" + (text.replace("~", "~0").replace("/", "~1") if "~" in text or "/" in text else text)


def tokens_of(pointer: str) -> list[str]:
    """Return the steps of a JSON pointer, with `~1` and `~0` decoded."""
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
