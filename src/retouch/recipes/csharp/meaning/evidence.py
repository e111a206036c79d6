"""Decides what the document supports: strings that name only what exists, quotes, and the form of values."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from retouch.recipes.csharp.language.prose import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch.recipes.csharp.ir import CsType, Endpoint, MemberFacts

LONGEST_TEXT = 300
_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|\d+")
_CODE_LIKE = re.compile(r"[A-Za-z][\w-]*_[\w-]*|[A-Za-z]+\d\w*|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+(?:\.\w+)+")
_QUOTED = re.compile(r"`([^`]*)`|\"([^\"]*)\"|(?<!\w)'([^']*)'(?!\w)|“([^”]*)”")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*\d|(?<![\w.])\d")
_CAPITALISED = re.compile(r"(?<=[a-z0-9,;:)] )[A-Z][\w'-]*")
_CAPITALS = re.compile(r"\b[A-Z]{2,}s?\b")
_USUAL = frozenset({"API", "ID", "IDS", "JSON", "URL", "URLS", "URI", "UTC", "ISO", "HTTP", "HTTPS", "UUID", "GUID"})
# What a text may only promise if the document states it.
_CLAIMS = re.compile(
    r"\b(required|mandatory|optional|deprecated|obsolete|read-?only|write-?only|unique|default|defaults|maximum|minimum"
    r"|max|min|at most|at least|up to|no more than|must|always|never|only|null|nullable|empty|omitted|encrypted|hashed"
    r"|signed|secret|immutable|cannot|can't|guaranteed|automatically|percent|percentage|cents|dollars?|euros?|seconds?"
    r"|milliseconds?|minutes?|hours?|days?|weeks?|months?|years?|bytes?|kilobytes?|megabytes?|metres?|meters?"
    r"|kilometers?|grams?|kilograms?|celsius|fahrenheit|sorted|ascending|descending|case-?(?:in)?sensitive|not|no|none"
    r"|without|except|zero|negative|positive|inclusive|exclusive)\b",
    re.IGNORECASE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EMPTY_WORDS = _words(
    """the a an of to in for on at by is are was be this that it its with and or as from which whether
    object value field property member represents identifies returns contains describes specifies
    indicates used type data information item items string number"""
)
_STEM = 4


def text_problem(text: str) -> str:
    """Return why a text cannot be documentation, or ""."""
    if not text.strip():
        return "it is empty"
    if text != text.strip() or one_line(text, longest=4 * LONGEST_TEXT) != text:
        return "it is not one line of plain text"
    if len(text) > LONGEST_TEXT:
        return f"it has {len(text)} characters; at most {LONGEST_TEXT} are allowed"
    if escape(text) != text or any(mark in text for mark in ("//", "/*", "*/", "{", "}", ";", "$", "#", "\\", "@")):
        return "it contains markup or code"
    return ""


def unknown_in(text: str, document: str, own: str) -> str:
    """Return a name or number in `text` that `document` does not contain, or a promise that `own` does not, or "".

    Names are words that are quoted, look like code, or are capitalised within a sentence. `own` is what the document
    states about the subject of the text alone.
    """
    lower = document.lower()
    quoted = ["".join(groups) for groups in _QUOTED.findall(text)]
    exact = [*quoted, *_CODE_LIKE.findall(text), *_NUMBER.findall(text)]
    for name in exact:
        if not has_word(document, name):
            return repr(name)
    names = [one for one in _CAPITALS.findall(text) if one.upper() not in _USUAL] + _CAPITALISED.findall(text)
    for name in names:
        if name.upper() not in _USUAL and not has_word(lower, name.lower().removesuffix("'s")):
            return repr(name)
    promised = (one.group() for one in _CLAIMS.finditer(text))
    return next((f"the promise {one!r}" for one in promised if not has_word(own.lower(), one.lower())), "")


def has_word(text: str, word: str) -> bool:
    """Return whether a text has a word (or several) as a whole."""
    return bool(word) and re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", text) is not None


def stems(text: str) -> set[str]:
    """Return the beginnings of the words of a text or an identifier, without words that mean nothing alone."""
    words = (word.lower() for word in _WORD.findall(text))
    return {word[:_STEM] for word in words if word not in _EMPTY_WORDS}


def is_vague(description: str, *names: str) -> bool:
    """Return whether a description adds nothing to the names of its member and its type."""
    return stems(description) <= stems(" ".join(names))


def is_quoted(quote: str, text: str) -> bool:
    """Return whether a quote is a part of a text, by whole words. White space does not matter."""
    wanted = " ".join(quote.split())
    return len(wanted) > 2 and has_word(" ".join(text.split()), wanted)


def document_text(endpoint: Endpoint, type_: CsType, facts: Mapping[str, MemberFacts]) -> str:
    """Return everything that the document states about a type, and the names that exist around it."""
    parts = [endpoint.path, endpoint.method, type_.name, type_.origin, type_.description]
    for field in type_.fields:
        parts += [field.json_name, field.name, field.description, field.type]
    for value in type_.values:
        parts += [str(value.value), value.name, value.description]
    for one in facts.values():
        parts += [one.format, one.pattern, *one.examples]
    return "\n".join((*parts, *endpoint.by_name))


_OFFSET = r"(?:[Zz]|[+-]\d\d:\d\d)"
_FORMS: Mapping[str, tuple[str, str, str, tuple[str, ...]]] = {
    # the C# type; the form of its values; the words that name it; values that a pattern has to match
    "date-time": (
        "DateTimeOffset",
        rf"\d{{4}}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{{1,7}})?{_OFFSET}",
        r"\bRFC ?3339\b",
        ("2024-02-29T23:59:59Z", "1999-12-31T00:00:00+01:00"),
    ),
    "date": (
        "DateOnly",
        r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])",
        r"\b[Yy]{4}-[Mm]{2}-[Dd]{2}\b(?![T ]?[Hh])",
        ("2024-02-29", "1999-12-31"),
    ),
    "time": (
        "TimeOnly",
        r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,7})?",
        r"\b[Hh]{2}:[Mm]{2}:[Ss]{2}\b(?!\w)",
        ("23:59:59", "00:00:00"),
    ),
    "uri": (
        "Uri",
        r"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>\"{}|\\^`]+",
        r"\bUR[IL]\b",
        ("https://example.org/a", "http://example.com/b?c=d"),
    ),
    "uuid": (
        "Guid",
        r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}",
        r"(?i:\b(?:UUID|GUID)\b)",
        ("3f2504e0-4f89-41d3-9a0c-0305e82c3301", "00000000-0000-4000-8000-000000000000"),
    ),
}
FORMS: Mapping[str, str] = {form: known[0] for form, known in _FORMS.items()}
_LONGEST_PATTERN = 200
_REPEATED_GROUP, _ENDLESS = re.compile(r"\)[*+?{]"), re.compile(r"[*+]|,\}")


def semantic_type(form: str, facts: MemberFacts, description: str, quote: str) -> tuple[str, str]:
    """Return the C# type of a string whose values have this form, and "". Else return "" and the reason.

    Every example must have the form, the pattern and the lengths must allow it, and something must show it: an
    example, or a quote of the description that names the form.
    """
    cs_type, shape, named, samples = _FORMS[form]
    for example in facts.examples:
        value = _loaded(example)
        if value is not None and not (isinstance(value, str) and _is_one(form, shape, value)):
            return "", f"the example {example[:60]} is not of this form"
    if facts.format and facts.format != form:
        return "", f"the document gives it the format {facts.format!r}"
    if any(not _allows(facts, sample) for sample in samples):
        return "", "the pattern or the length in the document does not allow it"
    is_shown = any(_loaded(example) is not None for example in facts.examples)
    is_named = is_quoted(quote, description) and re.search(named, quote) is not None
    return (cs_type, "") if is_shown or is_named else ("", "neither an example nor a quote shows this form")


def _loaded(example: str) -> object:
    try:
        return json.loads(example)
    except ValueError:
        return False  # a text that was cut


def _is_one(form: str, shape: str, value: str) -> bool:
    """Return whether a text has the form, and is a value that .NET can read, for example no 30 February."""
    if re.fullmatch(shape, value) is None:
        return False
    if form not in ("date", "date-time"):
        return True
    from datetime import date

    try:
        date.fromisoformat(value[:10])
    except ValueError:
        return False
    return True


def _allows(facts: MemberFacts, sample: str) -> bool:
    if len(sample) < facts.min_length or 0 < facts.max_length < len(sample):
        return False
    if not facts.pattern:
        return True
    repeated = _REPEATED_GROUP.search(facts.pattern) is not None
    if len(facts.pattern) > _LONGEST_PATTERN or (repeated and _ENDLESS.search(facts.pattern)):
        return False  # it could take very long to match
    try:
        return re.search(facts.pattern, sample) is not None
    except (re.error, RecursionError, OverflowError):
        return False


_LISTS = re.compile(
    r"(?i:\b(?:one of|either|(?:possible|allowed|valid|accepted|supported|permitted) (?:values?|options?)"
    r"|can be|may be|values? (?:are|is|can be|may be)|options? are)\b)"
)
_EXAMPLES = re.compile(
    r"(?i:\b(?:for example|for instance|e\.?g|such as|like|including|etc|not limited to)\b)|\.\.\.|…"
)


def enum_problem(values: list[str], facts: MemberFacts, description: str) -> str:
    """Return why these values are not an enum that the description lists, or "".

    Each value must be in one sentence of the description that lists values, and not as an example.
    """
    if len(values) < 2 or len(set(values)) < len(values):
        return "an enum needs two or more different values"
    if facts.pattern or facts.format:
        return "the document gives the values another form"
    listing = next((one for one in _sentences(description) if _LISTS.search(one)), "")
    if not listing or _EXAMPLES.search(listing):
        return "no sentence of the description lists all values"
    listed = listing[_start(listing) :]
    missing = next((value for value in values if value != value.strip() or not has_word(listed, value)), None)
    if missing is not None:
        return f"the description does not list {missing!r}"
    if re.search(r"(?i:\b(?:not|except|other than|no longer|never)\b)", listed):
        return "the description excludes values"
    strays = (example for example in facts.examples if _loaded(example) not in [*values, None])
    stray = next(strays, None)
    if stray is not None:
        return f"the example {stray[:60]} is none of the values"
    unlisted = _unlisted(listed, values)
    return f"the description also lists {unlisted!r}" if unlisted else ""


def _start(listing: str) -> int:
    found = _LISTS.search(listing)
    return found.end() if found else 0


def _unlisted(listed: str, values: list[str]) -> str:
    """Return a quoted text or an item of the list that is none of the values."""
    quoted = ["".join(groups) for groups in _QUOTED.findall(listed)]
    if quoted:
        return next((one for one in quoted if one and one not in values), "")
    items = re.split(r",\s*(?:or |and )?|\s+(?:or|and)\s+|\s*\|\s*|\s*/\s*", listed.strip(" :.-"))
    return next((one for one in items if one.strip(" .:") and not _is_value_of(one, values)), "")


def _is_value_of(item: str, values: list[str]) -> bool:
    return any(has_word(item, value) for value in values)


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+|\n+", text)


_NULL = re.compile(r"(?i:\bnull\b|\bnullable\b)")
_NOT_NULL = re.compile(
    r"(?i:\b(?:not|never|cannot|can't|won't|isn't|non|without|no longer|instead of|unless|except|rather than)\b)"
)


def says_nullable(quote: str, description: str) -> bool:
    """Return whether a quote of the description states that a value can be null, and its sentence does not deny it."""
    if not is_quoted(quote, description) or not _NULL.search(quote):
        return False
    wanted = " ".join(quote.split())
    sentences = [" ".join(one.split()) for one in _sentences(description)]
    around = [one for one in sentences if wanted in one] or [description]
    return not any(_NOT_NULL.search(one) for one in around)


def is_about(text: str, *names: str) -> bool:
    """Return whether a text shares a word with the names or descriptions of its subject."""
    return not stems(text).isdisjoint(stems(" ".join(names)))
