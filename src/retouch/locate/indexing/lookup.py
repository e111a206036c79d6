"""The spans of an index in order, with lookup tables. Rebuilt after every change."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from retouch.locate.indexing.records import FileRecord
    from retouch.locate.values import Span


class SpanLookup:
    """Finds spans by name, by module id and by document number."""

    def __init__(self, records: Iterable[FileRecord]) -> None:
        numbered = [pair for record in records for pair in zip(record.documents, record.spans, strict=True)]
        self.spans: Sequence[Span] = [span for _, span in numbered]
        self._documents = {_place(span): document for document, span in numbered}
        self.position = {document: position for position, (document, _) in enumerate(numbered)}
        self._by_name: dict[str, list[Span]] = defaultdict(list)
        self._by_module: dict[str, list[Span]] = defaultdict(list)
        for span in self.spans:
            self._by_name[span.name.lower()].append(span)
            self._by_module[span.module_id].append(span)

    def document(self, span: Span) -> int | None:
        """Return the document number of a span. None if it is not in the index."""
        return self._documents.get(_place(span))

    def span(self, document: int) -> Span:
        """Return the span of a document."""
        return self.spans[self.position[document]]

    def named_like(self, name: str) -> list[Span]:
        """Return the spans with a simple name, ignoring case."""
        return list(self._by_name.get(name.lower(), ()))

    def members(self, module_id: str) -> list[Span]:
        """Return the spans that share an id."""
        return list(self._by_module.get(module_id, ()))


def _place(span: Span) -> tuple[str, str, str, int]:
    return span.file, span.qualified, span.kind, span.start_line
