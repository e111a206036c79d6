"""Identifiers and the words in them."""

from __future__ import annotations

import pytest

from retouch.locate.indexing.words import identifiers, pieces, subwords, term_counts, terms


@pytest.mark.parametrize(
    ("identifier", "parts", "words"),
    [
        ("io_out_bits", ["io", "out", "bits"], []),
        ("robIdx", ["robidx"], ["rob", "idx"]),
        ("ALUOpType", ["aluoptype"], ["alu", "op", "type"]),
        ("L2Cache", ["l2cache"], ["l2", "cache"]),
        ("rs1Valid_2", ["rs1valid"], ["rs1", "valid"]),
        ("isRVC", ["isrvc"], ["is", "rvc"]),
        ("UInt", ["uint"], ["int"]),
        ("_T_12", [], []),
        ("a$b", [], []),
        ("STAGE_MAX", ["stage", "max"], []),
        ("größeNeu", ["größeneu"], ["gr", "öß", "neu"]),
    ],
)
def test_an_identifier_is_cut_at_underscores_and_at_capitals(identifier: str, parts: list[str], words: list[str]):
    assert tuple(parts) == pieces(identifier)
    assert tuple(words) == subwords(identifier)
    assert tuple(parts + words) == terms(identifier)


def test_identifiers_are_found_in_source_and_numbers_are_not():
    assert [b"val", b"x1", b"a_b", b"\xc3\xa4"] == identifiers("val x1 = 3.5 + a_b * 12 - ä".encode())


def test_terms_are_counted_over_all_identifiers():
    assert {"robidx": 2, "rob": 3, "idx": 2, "val": 1} == term_counts([b"robIdx", b"robIdx", b"rob", b"val"])
