"""What is said of a thing that a call marks or sets: "mark as done or cancelled", "give it the priority urgent"."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from retouch.recipes.policy.english.words.naming import Form, SentenceWords

MARK_AS = "mark as "  # and the value: a verb with blanks, so that no sentence contains it as one word
_MARKING = {
    "base": ("mark", "flag", "set", "label"),
    "ing": ("marking", "flagging", "setting", "labelling", "labeling"),
    "ed": ("marked", "flagged", "set", "labelled", "labeled"),
    "s": ("marks", "flags", "sets", "labels"),
}


def marking(words: SentenceWords, at: int, form: Form) -> Iterator[int]:
    """Yield the position after "mark"."""
    yield from words.after(at, *_MARKING[form])


def giving(words: SentenceWords, at: int, form: Form) -> Iterator[int]:
    """Yield the position after "give"."""
    yield from words.after(at, {"base": "give", "ing": "giving", "ed": "given", "s": "gives"}[form])


def marks(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the verbs of "as done or cancelled" after what is marked."""
    for start in words.after(at, "as"):
        yield from _values(words, start)


def properties(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yield the verbs of "the priority urgent" after "give an issue"."""
    for start in words.after(at, "the", "a", "an"):
        if words.word(start) in words.kinds:
            yield from _values(words, start + 1)


def _values(words: SentenceWords, at: int) -> Iterator[tuple[tuple[str, ...], int]]:
    found = list(words.value_in_schema(at))
    if not found and words.word(at).isalpha() and words.word(at) in words.objects | words.flags:
        found = [(words.word(at), at + 1)]  # `mark_as_read`, and the argument `spam`
    for value, then in found:
        yield (f"{MARK_AS}{value}",), then
        for more in words.after(then, ", or", ",", "or", "or as"):
            for rest, end in _values(words, more):
                yield (f"{MARK_AS}{value}", *rest), end
