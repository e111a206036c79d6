"""Okapi BM25 over numbered documents that can be added and removed, stored in a form that loads fast."""

from __future__ import annotations

from collections import defaultdict
from math import log
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_MAY_BE_DEAD = 0.2  # if more than this share of documents was removed, their postings are deleted


class BM25:
    """Scores documents for weighted terms (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).

    A term's weight is log(1 + (N - n + 0.5) / (n + 0.5)), so that a term in most documents still counts a little.
    Postings are stored as text, "document count document count ...", and parsed when a query needs them.
    """

    def __init__(self, *, k1: float = 1.2, b: float = 0.75) -> None:
        self.k1 = k1
        self.b = b
        self._lengths: dict[int, int] = {}
        self._stored: dict[str, str] = {}
        self._fresh: defaultdict[str, list[int]] = defaultdict(list)
        self._dead = 0
        self._last = -1
        self._read: dict[str, dict[int, int]] = {}
        self._norms: dict[int, float] = {}

    def __len__(self) -> int:
        return len(self._lengths)

    def __contains__(self, term: str) -> bool:
        return self.frequency(term) > 0

    def add(self, document: int, counts: Mapping[str, int]) -> None:
        """Add a document whose terms occur `counts` times.

        Raises:
            ValueError: the number is not greater than all earlier numbers. Postings may still contain it.
        """
        if document <= self._last:
            raise ValueError(f"document {document} comes after {self._last}; numbers must increase")
        self._last = document
        for term, number in counts.items():
            self._fresh[term] += (document, number)
        self._lengths[document] = sum(counts.values())
        self._clear_derived_data()

    def drop(self, document: int) -> None:
        """Remove a document."""
        del self._lengths[document]
        self._dead += 1
        self._clear_derived_data()

    def scores(self, query: Mapping[str, float], among: Collection[int] | None = None) -> dict[int, float]:
        """Return the score of each document with a term of `query`. `among` limits it to some documents."""
        found: dict[int, float] = {}
        norms = self._document_norms()
        for term, weight in query.items():
            postings = self._postings(term)
            factor = weight * self.idf(term) * (self.k1 + 1)
            some = postings if among is None else [one for one in among if one in postings]
            for document in some:
                count = postings[document]
                found[document] = found.get(document, 0.0) + factor * count / (count + norms[document])
        return found

    def parts(self, query: Mapping[str, float], document: int) -> dict[str, float]:
        """Return how much each term of `query` adds to the score of one document."""
        each = {term: self.scores({term: weight}, (document,)) for term, weight in query.items()}
        return {term: score[document] for term, score in each.items() if document in score}

    def frequency(self, term: str) -> int:
        """Return the number of documents with `term`."""
        return len(self._postings(term))

    def idf(self, term: str) -> float:
        """Return the weight of `term`. Rare terms have a higher weight."""
        having = self.frequency(term)
        return log(1 + (len(self._lengths) - having + 0.5) / (having + 0.5))

    def vocabulary(self) -> list[str]:
        """Return all terms of the documents, sorted."""
        known = {*self._stored, *self._fresh}
        return sorted(term for term in known if not self._dead or self._postings(term))

    def to_json(self) -> dict[str, Any]:
        """Return the index as a JSON value for `from_json`."""
        if self._dead > _MAY_BE_DEAD * len(self._lengths):
            self._clear_away()
        for term, numbers in self._fresh.items():
            text = " ".join(map(str, numbers))
            self._stored[term] = f"{self._stored[term]} {text}" if term in self._stored else text
        self._fresh.clear()
        lengths = " ".join(f"{document} {length}" for document, length in self._lengths.items())
        return {
            "k1": self.k1,
            "b": self.b,
            "dead": self._dead,
            "last": self._last,
            "lengths": lengths,
            "postings": dict(self._stored),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> BM25:
        """Return the index from a value of `to_json`."""
        made = cls(k1=stored["k1"], b=stored["b"])
        made._lengths = _pairs(stored["lengths"])
        made._stored = stored["postings"]
        made._dead, made._last = stored["dead"], stored["last"]
        return made

    def _clear_away(self) -> None:
        living = {term: self._postings(term) for term in {*self._stored, *self._fresh}}
        self._stored = {
            term: " ".join(f"{document} {count}" for document, count in postings.items())
            for term, postings in living.items()
            if postings
        }
        self._fresh.clear()
        self._dead = 0

    def _postings(self, term: str) -> dict[int, int]:
        known = self._read.get(term)
        if known is None:
            stored = _pairs(self._stored.get(term, ""))
            fresh = self._fresh.get(term, ())
            stored.update(zip(fresh[::2], fresh[1::2], strict=True))
            known = {one: count for one, count in stored.items() if one in self._lengths} if self._dead else stored
            self._read[term] = known
        return known

    def _document_norms(self) -> dict[int, float]:
        if not self._norms and self._lengths:
            average = sum(self._lengths.values()) / len(self._lengths) or 1.0
            short, long = self.k1 * (1 - self.b), self.k1 * self.b / average
            self._norms = {document: short + long * length for document, length in self._lengths.items()}
        return self._norms

    def _clear_derived_data(self) -> None:
        self._read.clear()
        self._norms = {}


def _pairs(text: str) -> dict[int, int]:
    numbers = list(map(int, text.split()))
    return dict(zip(numbers[::2], numbers[1::2], strict=True))
