"""An index of the definitions of a source tree: by name, by line and by words. It can be cached in a file."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.locate.indexing import cache as caches
from retouch.locate.indexing.bm25 import BM25
from retouch.locate.indexing.contents import FIELDS, read_contents
from retouch.locate.indexing.lookup import SpanLookup
from retouch.locate.indexing.records import FileRecord
from retouch.locate.languages.scala import scala
from retouch.locate.sources import open_source
from retouch.locate.sources.paths import is_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from retouch.locate.languages.front import Front
    from retouch.locate.values import FileSource, Span

CODE = {"code": 1.0}
_FILES_IN_MEMORY = 100


@dataclass(frozen=True, kw_only=True)
class Refreshed:
    """The result of a build: `parsed` are new or changed files, `deleted` are removed ones, `read` is the number of
    files read.
    """

    files: int
    spans: int
    read: int
    parsed: Sequence[str]
    deleted: Sequence[str]
    seconds: float

    @property
    def worth_saving(self) -> bool:
        """True if the next build would be faster after saving the index now."""
        return bool(self.read or self.deleted)


class SpanIndex:
    """The definitions of a source tree, with the data for ranking. The class is named in the specification.

    `fields` maps the name of a field (see `Contents`) to its word index, in which each span is a document.
    `commit_hash` is the commit at the last build. It is only informative: freshness is decided for each file. `notes`
    are messages for the user, for example that a damaged cache was ignored. `derived` holds what other modules
    compute from the sources; each build clears it.
    """

    def __init__(self, source: FileSource | str | Path, *, front: Front | None = None) -> None:
        self.source = open_source(source)
        self.front = front or scala()
        self.commit_hash: str | None = None
        self.fields: Mapping[str, BM25] = {name: BM25() for name in FIELDS}
        self.notes: list[str] = [self.front.note] if self.front.note else []
        self.derived: dict[str, Any] = {}
        self._records: dict[str, FileRecord] = {}
        self._next_document = 0
        self._lookup: SpanLookup | None = None
        self._lines: dict[str, list[str]] = {}

    def build(
        self,
        files: Sequence[str] | None = None,
        *,
        tests: bool = False,
        on_file: Callable[[int, int, str], object] | None = None,
    ) -> Refreshed:
        """Update the index to exactly `files`. By default, all files of the language in the source.

        A file is only read again if its size or time changed, and only parsed again if its bytes changed. Test
        directories are skipped unless `tests`. `on_file` is called with the number of processed files, the total, and
        the next file.
        """
        start = time.perf_counter()
        self._lines.clear()
        wanted = self._listed(tests=tests) if files is None else [self._relative(file) for file in files]
        seen = self.source.stat_all(wanted)
        deleted = [file for file in self._records if file not in seen]
        self.invalidate(deleted)
        stale = [file for file in seen if file not in self._records or not self._records[file].is_fresh(seen[file])]
        parsed: list[str] = []
        for number, (file, data) in enumerate(self.source.read_all(stale)):
            if on_file:
                on_file(number, len(stale), file)
            if self._take_in(file, data, seen[file]):
                parsed.append(file)
        self.commit_hash = self.source.commit()
        return Refreshed(
            files=len(self._records),
            spans=len(self._found.spans),
            read=len(stale),
            parsed=parsed,
            deleted=deleted,
            seconds=time.perf_counter() - start,
        )

    def get_enclosing_module(self, file: str, line: int) -> Span | None:
        """Return the smallest span that contains a line. If two are equally small, the later one."""
        record = self._records.get(self._relative(file))
        around = [span for span in record.spans if span.start_line <= line <= span.end_line] if record else []
        return min(reversed(around), key=lambda span: (span.end_line - span.start_line, -span.start_line), default=None)

    def get_all_modules(self) -> list[Span]:
        """Return all spans by file and line. Those of test directories come last."""
        return list(self._found.spans)

    def invalidate(self, files: Sequence[str] | None = None) -> None:
        """Remove some files, or all, from the index. The next build reads them again."""
        for file in list(self._records) if files is None else map(self._relative, files):
            record = self._records.pop(file, None)
            for document in record.documents if record else ():
                for words in self.fields.values():
                    words.drop(document)
        self._lookup = None
        self.derived.clear()

    def save(self, cache_path: str | Path) -> None:
        """Write the index to a file atomically."""
        body = {
            "front": self._kind,
            "root": self.source.root,
            "commit": self.commit_hash,
            "next_document": self._next_document,
            "files": {file: record.to_json() for file, record in self._records.items()},
            "fields": {name: words.to_json() for name, words in self.fields.items()},
        }
        caches.write_cache(Path(cache_path), body)

    @classmethod
    def load(cls, cache_path: str | Path, source: FileSource | str | Path, *, front: Front | None = None) -> SpanIndex:
        """Return the saved index. `build` then reads changed files again.

        If the file is damaged, the index is empty and has a note with the reason. If there is no file, or it belongs to
        another source or language, the index is empty.
        """
        index = cls(source, front=front)
        try:
            body = caches.read_cache(Path(cache_path))
        except FileNotFoundError:
            return index
        except caches.DamagedCache as error:
            index.notes.append(f"The index {str(cache_path)!r} is rebuilt: {error}.")
            return index
        if body["root"] == index.source.root and body["front"] == index._kind:
            index.commit_hash = body["commit"]
            index._next_document = body["next_document"]
            index._records = {file: FileRecord.from_json(file, row) for file, row in body["files"].items()}
            index.fields = {name: BM25.from_json(row) for name, row in body["fields"].items()}
        return index

    @property
    def cache(self) -> dict[str, Sequence[Span]]:
        """The spans of each file."""
        return {file: self._records[file].spans for file in self.files()}

    @property
    def words(self) -> BM25:
        """The word index of the identifiers of each span outside comments."""
        return self.fields["code"]

    @property
    def parse_errors(self) -> dict[str, int]:
        """The files that could not be parsed completely, with the number of errors."""
        return {file: self._records[file].errors for file in self.files() if self._records[file].errors}

    def files(self) -> list[str]:
        """Return the files of the index. Those of test directories come last."""
        return sorted(self._records, key=lambda file: (is_below(file, self.front.tests), file))

    def named(self, name: str) -> list[Span]:
        """Return the spans with this simple name."""
        return [span for span in self.named_like(name) if span.name == name]

    def named_like(self, name: str) -> list[Span]:
        """Return the spans with this simple name, ignoring case."""
        return self._found.named_like(name)

    def members(self, module_id: str) -> list[Span]:
        """Return the spans that share an id, for example a class and its companion."""
        return self._found.members(module_id)

    def lines(self, file: str) -> Sequence[str]:
        """Return the lines of a file. They are cached until the next build, for a limited number of files."""
        known = self._lines.get(file)
        if known is None:
            known = self.source.read(self._relative(file)).decode("utf-8-sig", "replace").split("\n")
            if len(self._lines) >= _FILES_IN_MEMORY:
                self._lines.clear()
            self._lines[file] = known
        return known

    def text(self, span: Span) -> str:
        """Return the lines of a span as text."""
        return "\n".join(self.lines(span.file)[span.start_line - 1 : span.end_line])

    def ranked(
        self,
        query: Mapping[str, float],
        among: Iterable[Span] | None = None,
        *,
        weights: Mapping[str, float] = CODE,
    ) -> list[tuple[Span, float]]:
        """Return the spans with a term of `query` and their scores, best first. Equal scores keep their order.

        A score is the sum over fields of the field's weight times its BM25 score. `among` limits the result to some
        spans.
        """
        found = self._found
        documents = None if among is None else [one for span in among if (one := found.document(span)) is not None]
        totals: dict[int, float] = defaultdict(float)
        for name, weight in weights.items():
            for document, score in self.fields[name].scores(query, documents).items():
                totals[document] += weight * score
        order = sorted(totals, key=lambda document: (-totals[document], found.position[document]))
        return [(found.span(document), totals[document]) for document in order]

    def matched(
        self, query: Mapping[str, float], span: Span, *, weights: Mapping[str, float] = CODE
    ) -> dict[str, float]:
        """Return how much each term of `query` adds to the score of one span, largest first."""
        totals: dict[str, float] = defaultdict(float)
        document = self._found.document(span)
        if document is not None:
            for name, weight in weights.items():
                for term, score in self.fields[name].parts(query, document).items():
                    totals[term] += weight * score
        return dict(sorted(totals.items(), key=lambda item: -item[1]))

    @property
    def _kind(self) -> list[str]:
        return [self.front.name, self.front.version, *FIELDS]

    @property
    def _found(self) -> SpanLookup:
        if self._lookup is None:
            self._lookup = SpanLookup(self._records[file] for file in self.files())
        return self._lookup

    def _listed(self, *, tests: bool) -> list[str]:
        skip = [*self.front.skip, *(() if tests else self.front.tests)]
        return sorted({file for pattern in self.front.patterns for file in self.source.list(pattern, skip)})

    def _relative(self, file: str) -> str:
        return file.removeprefix(f"{self.source.root}/")

    def _take_in(self, file: str, data: bytes, seen: tuple[int, int]) -> bool:
        """Index the bytes of a file. Return whether they differ from the indexed ones."""
        known = self._records.get(file)
        digest = sha256(data).hexdigest()
        now = {"size": seen[0], "mtime_ns": seen[1], "read_ns": time.time_ns()}
        if known is not None and known.sha256 == digest:
            self._records[file] = replace(known, **now)
            return False
        self.invalidate([file])
        contents = read_contents(self.front, file, data)
        first = self._next_document
        self._records[file] = FileRecord(
            **now, sha256=digest, first=first, errors=contents.errors, spans=tuple(contents.spans)
        )
        for document, terms in enumerate(contents.terms, first):
            for name, counts in terms.items():
                self.fields[name].add(document, counts)
        self._next_document += len(contents.spans)
        return True
