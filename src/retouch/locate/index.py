"""The definitions of a source tree: found by name, by line and by words, and kept between two calls."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

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
    """What a build did: `parsed` files are new or changed, `deleted` ones are gone; `read` counts the files read."""

    files: int
    spans: int
    read: int
    parsed: Sequence[str]
    deleted: Sequence[str]
    seconds: float

    @property
    def worth_saving(self) -> bool:
        """Whether the next build would have less to do if the index were saved now."""
        return bool(self.read or self.deleted)


class SpanIndex:
    """The definitions of a source tree, with everything that ranking asks of them; the specification's class.

    `fields` maps the name of a field (see `Contents`) to its words, the spans being the documents. `commit_hash` is
    what was checked out at the last build: for information, since freshness is decided file by file. `notes` say what
    a person should know, such as that a damaged cache was left aside.
    """

    def __init__(self, source: FileSource | str | Path, *, front: Front | None = None) -> None:
        self.source = open_source(source)
        self.front = front or scala()
        self.commit_hash: str | None = None
        self.fields: Mapping[str, BM25] = {name: BM25() for name in FIELDS}
        self.notes: list[str] = [self.front.note] if self.front.note else []
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
        """Make the index one of exactly `files`; without them, of all that the language has in the source.

        A file is read again only when its size or time changed, and parsed again only when its bytes did. Test folders
        are left out unless `tests`. `on_file` hears how many of how many files are done, and which one is next.
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
        """Return the smallest span that contains a line, the later one of two that are equally small."""
        record = self._records.get(self._relative(file))
        around = [span for span in record.spans if span.start_line <= line <= span.end_line] if record else []
        return min(reversed(around), key=lambda span: (span.end_line - span.start_line, -span.start_line), default=None)

    def get_all_modules(self) -> list[Span]:
        """Return all spans by file and line; those of test folders come last."""
        return list(self._found.spans)

    def invalidate(self, files: Sequence[str] | None = None) -> None:
        """Forget some files, or all of them: the next build reads them again."""
        for file in list(self._records) if files is None else map(self._relative, files):
            record = self._records.pop(file, None)
            for document in record.documents if record else ():
                for words in self.fields.values():
                    words.drop(document)
        self._lookup = None

    def save(self, cache_path: str | Path) -> None:
        """Write the index to a file, so that a reader finds the old one or all of this one."""
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
        """Return the index that was saved; `build` then reads again what is stale in it.

        A file that cannot be used gives an empty index with a note that says why; none, or one of another source or
        front, an empty index.
        """
        index = cls(source, front=front)
        try:
            body = caches.read_cache(Path(cache_path))
        except FileNotFoundError:
            return index
        except caches.DamagedCache as error:
            index.notes.append(f"The index {str(cache_path)!r} is built anew: {error}.")
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
        """The identifiers of each span outside comments."""
        return self.fields["code"]

    @property
    def parse_errors(self) -> dict[str, int]:
        """The files that could not be read whole, and in how many places."""
        return {file: self._records[file].errors for file in self.files() if self._records[file].errors}

    def files(self) -> list[str]:
        """Return the files of the index; those of test folders come last."""
        return sorted(self._records, key=lambda file: (is_below(file, self.front.tests), file))

    def named(self, name: str) -> list[Span]:
        """Return the spans of this simple name."""
        return [span for span in self.named_like(name) if span.name == name]

    def named_like(self, name: str) -> list[Span]:
        """Return the spans of this simple name, in capitals or not."""
        return self._found.named_like(name)

    def members(self, module_id: str) -> list[Span]:
        """Return the spans that share an id, such as a class and its companion."""
        return self._found.members(module_id)

    def lines(self, file: str) -> Sequence[str]:
        """Return the lines of a file, read at most once between two builds while few files are asked for."""
        known = self._lines.get(file)
        if known is None:
            known = self.source.read(self._relative(file)).decode("utf-8-sig", "replace").split("\n")
            if len(self._lines) >= _FILES_IN_MEMORY:
                self._lines.clear()
            self._lines[file] = known
        return known

    def text(self, span: Span) -> str:
        """Return the lines of a span, as `lines` tells them."""
        return "\n".join(self.lines(span.file)[span.start_line - 1 : span.end_line])

    def ranked(
        self,
        query: Mapping[str, float],
        among: Iterable[Span] | None = None,
        *,
        weights: Mapping[str, float] = CODE,
    ) -> list[tuple[Span, float]]:
        """Return the spans that have a term of `query` with their scores, best first, equal ones in their order.

        A score is the sum over fields of the field's weight times its BM25; `among` asks for some spans only.
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
        """Return what each term of `query` adds to the score of one span, the most first."""
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
        """Index the bytes of a file, and return whether they are not those that are indexed already."""
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
