"""Numbers with their nouns."""

import pytest

from retouch._lib.counting import counted, counted_are


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (0, "call", "0 calls"),
        (1, "call", "1 call"),
        (2_000, "run", "2,000 runs"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
        (2, "fix", "2 fixes"),
        (3, "branch", "3 branches"),
    ],
)
def test_a_noun_has_the_form_of_its_number(number: int, noun: str, expected: str) -> None:
    assert expected == counted(number, noun)


def test_a_verb_agrees() -> None:
    assert ("1 page is", "4 pages are") == (counted_are(1, "page"), counted_are(4, "page"))
