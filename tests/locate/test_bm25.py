"""BM25 as its formula says, whatever came and went before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retouch.locate.indexing.bm25 import BM25

Documents = Mapping[int, Mapping[str, int]]
TERMS = "abcdef"
counts = st.dictionaries(st.sampled_from(TERMS), st.integers(1, 9))
steps = st.lists(st.one_of(counts, st.integers(0, 20), st.just("kept")), max_size=25)


def by_formula(documents: Documents, query: Mapping[str, float]) -> dict[int, float]:
    """Return the scores as the paper writes them, document by document."""
    average = sum(sum(each.values()) for each in documents.values()) / len(documents) or 1.0
    scores: dict[int, float] = {}
    for number, words in documents.items():
        for term in query.keys() & words.keys():
            having = sum(term in each for each in documents.values())
            idf = log(1 + (len(documents) - having + 0.5) / (having + 0.5))
            count, length = words[term], sum(words.values()) / average
            score = query[term] * idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length))
            scores[number] = scores.get(number, 0.0) + score
    return scores


def filled(documents: Documents) -> BM25:
    index = BM25()
    for number, words in documents.items():
        index.add(number, words)
    return index


DOCUMENTS: Documents = {3: {"alu": 2, "op": 1}, 5: {"op": 4, "rob": 1}, 9: {"op": 1}}


def test_scores_are_those_of_the_formula():
    query = {"alu": 1.0, "op": 0.5, "unknown": 2.0}
    assert pytest.approx(by_formula(DOCUMENTS, query)) == filled(DOCUMENTS).scores(query)


def test_a_document_without_a_term_of_the_query_has_no_score():
    assert {3} == set(filled(DOCUMENTS).scores({"alu": 1.0}))
    assert {} == filled(DOCUMENTS).scores({"unknown": 1.0})
    assert {} == BM25().scores({"alu": 1.0})


def test_scores_among_some_documents_are_the_same_numbers():
    index = filled(DOCUMENTS)
    everything = index.scores({"op": 1.0, "alu": 1.0})
    assert {5: everything[5], 9: everything[9]} == index.scores({"op": 1.0, "alu": 1.0}, (9, 5))


def test_the_parts_of_a_score_add_up_to_it():
    parts = filled(DOCUMENTS).parts({"op": 1.0, "alu": 2.0, "rob": 1.0}, 3)
    assert {"op", "alu"} == set(parts)
    assert pytest.approx(sum(parts.values())) == filled(DOCUMENTS).scores({"op": 1.0, "alu": 2.0})[3]


def test_the_vocabulary_knows_what_living_documents_hold():
    index = filled(DOCUMENTS)
    index.drop(3)
    assert (["op", "rob"], False, 2) == (index.vocabulary(), "alu" in index, index.frequency("op"))
    assert 2 == len(index)


def test_the_number_of_a_document_that_is_gone_cannot_return():
    index = filled(DOCUMENTS)
    index.drop(9)
    with pytest.raises(ValueError, match="9"):
        index.add(9, {"op": 1})


def test_what_is_kept_does_not_grow_with_every_change():
    index = filled(DOCUMENTS)
    for number in range(10, 300):
        index.add(number, {f"word{number}": 1, "op": 1})
        index.drop(number)
        index = BM25.from_json(index.to_json())
    assert {"alu", "op", "rob"} == set(index.to_json()["postings"])


@settings(max_examples=80, deadline=None)
@given(steps, st.dictionaries(st.sampled_from(TERMS + "g"), st.floats(0.1, 3), min_size=1))
def test_an_index_that_changed_and_was_kept_scores_like_a_new_one(
    done: list[dict[str, int] | int | str], query: Mapping[str, float]
):
    index, living = BM25(), dict[int, Mapping[str, int]]()
    for number, step in enumerate(done):
        if isinstance(step, dict):
            living[number] = step
            index.add(number, step)
        elif isinstance(step, int) and living:
            gone = sorted(living)[step % len(living)]
            del living[gone]
            index.drop(gone)
        elif step == "kept":
            index = BM25.from_json(json.loads(json.dumps(index.to_json())))
    assert filled(living).scores(query) == index.scores(query)
    assert filled(living).vocabulary() == index.vocabulary()
    if living:
        assert pytest.approx(by_formula(living, query)) == index.scores(query)
