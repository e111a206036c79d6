"""Identifiers for C#: valid, unique, and independent of their siblings."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.vocabulary import HARMLESS, RESTRICTING, USED_NAMESPACES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_LONGEST = 100

_SPELLED = {
    "+": "Plus", "-": "Dash", "*": "Star", "/": "Slash", ".": "Dot", "_": "Underscore", "@": "At", "$": "Dollar",
    "%": "Percent", "&": "And", "#": "Hash", "!": "Not", "?": "Question", "=": "Equal", "<": "Less", ">": "Greater",
    "|": "Or", "~": "Tilde", "^": "Caret", ":": "Colon", ";": "Semicolon", ",": "Comma", "'": "Quote",
    '"': "DoubleQuote", "(": "Open", ")": "Close", "[": "OpenBracket", "]": "CloseBracket", "{": "OpenBrace",
    "}": "CloseBrace", "\\": "Backslash", "`": "Backtick", " ": "Space",
}  # fmt: skip
_LETTERS = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo"})
_WITHIN = _LETTERS | {"Nd", "Mn", "Mc"}
_ASCII_WORDS = re.compile(r"[A-Za-z0-9]+")
_OBJECT_MEMBERS = frozenset({
    "Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString",
})  # fmt: skip
_TYPES_IN_USE = frozenset({
    "DateTime", "DateOnly", "TimeOnly", "Guid", "Dictionary", "JsonElement", "JsonStringEnumConverter",
    "JsonIgnoreCondition", "JsonNumberHandling",
}) | USED_NAMESPACES | {f"{name}Attribute" for name in RESTRICTING | HARMLESS}  # fmt: skip
_TYPES_OF_THE_PLAIN_STYLE = _TYPES_IN_USE | {
    "DateTimeOffset", "Uri", "Obsolete", "ObsoleteAttribute", "IOpenEnum", "OpenEnumConverter", "JsonConverter",
    "JsonSerializerOptions", "Utf8JsonReader", "Utf8JsonWriter", "JsonPolymorphicAttribute", "JsonDerivedTypeAttribute",
    "JsonPropertyName", "JsonExtensionData", "JsonIgnore", "JsonPolymorphic", "JsonDerivedType",
    "JsonStringEnumMemberName", "ModelJson", "IJsonUnion", "JsonUnion", "JsonUnionConverter",
    "JsonUnionConverterFactory", "JsonConverterFactory", "JsonSerializer", "JsonTokenType", "JsonException",
}  # fmt: skip
_IN_ATTRIBUTES = frozenset({"JsonIgnoreCondition"})
_RECORD_MEMBERS = frozenset({"Clone", "EqualityContract", "PrintMembers"})
_VALUE_MEMBERS = _OBJECT_MEMBERS | {"Value", "Deconstruct", "PrintMembers"}


def pascal(text: str) -> str:
    """Return the PascalCase identifier for a wire name, or for the text of an enum value.

    Letters inside a word keep their case (`HTTPUrl`), except in names in capitals with separators (`IN_PROGRESS` is
    `InProgress`). Signs are spelled only if there is nothing else, or before a number (`-1` is `Minus1`). A name that
    would start with a digit starts with `Value`. Long names end in a short hash of the whole name.
    """
    if text.isascii():
        words = _ASCII_WORDS.findall(text)
    else:
        kept = [char if ord(char) < 0x10000 and unicodedata.category(char) in _WITHIN else " "
                for char in unicodedata.normalize("NFC", text)]  # fmt: skip
        words = "".join(kept).split()
    if not words:
        words = [_SPELLED.get(char, f"U{ord(char):04X}") for char in text] or ["Empty"]
    elif len(words) > 1 and not any(char.islower() for char in text):
        words = [word.lower() for word in words]
    joined = "".join(_capital(word) for word in words)
    if text[:1] in {"+", "-"} and words[0][:1].isdigit():
        joined = ("Plus" if text[0] == "+" else "Minus") + joined
    name = joined if unicodedata.category(joined[0]) in _LETTERS else f"Value{joined}"
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 8]}{_hash(text)}"


def _capital(word: str) -> str:
    upper = word[0].upper()
    return (upper if len(upper) == 1 else word[0]) + word[1:]


def _hash(text: str, length: int = 8) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length].upper()


def _spelled(text: str) -> str:
    """Return a longer name for strings that `pascal` makes equal: signs are spelled, and the case of the first letter
    is named.
    """
    parts = re.split(r"([^A-Za-z0-9])", text)
    joined = "".join(_SPELLED.get(part, "") if len(part) == 1 and not part.isalnum() else _capital(part)
                     for part in parts if part)  # fmt: skip
    name = pascal(joined)
    return name if name != pascal(text) else f"{name}{'Lower' if text[:1].islower() else 'Upper'}"


def _plainness(text: str) -> tuple[int, bool, str]:
    """Return how far a wire name is from the usual spelling. The plainest of several names stays short."""
    odd = sum(0 if char.isalnum() else 1 if char == "_" else 2 if char == "-" else 3 for char in text)
    return odd, text[:1].isupper(), text


def _unique(
    texts: Iterable[str], *, taken: Collection[str] = (), hints: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return an identifier for each text. The result does not depend on the order of the strings.

    If several strings have the same name, the plainest one keeps it. The other strings spell out the difference, or end
    in a hash of the text, so a new sibling renames at most one other. Names in `taken` get the suffix `Value`. `hints`
    has names that the document proposes, by text.
    """
    hints = hints or {}
    wanted = {text: pascal(hints.get(text) or text) for text in texts}
    found: dict[str, str] = {}
    used = set(taken)
    late: list[str] = []
    for text in sorted(wanted, key=_plainness):
        name = wanted[text]
        name = f"{name}Value" if name in taken else name
        if name in used:
            late.append(text)
        else:
            found[text] = name
            used.add(name)
    for text in late:
        found[text] = _other_name(text, wanted[text], used)
        used.add(found[text])
    return found


def _other_name(text: str, name: str, used: Collection[str]) -> str:
    spelled = _spelled(text)
    candidates = [spelled, *(f"{name}{_hash(text, length)}" for length in (4, 8, 16, 64))]
    return next(candidate for candidate in candidates if candidate not in used)


def property_names(
    wire_names: Iterable[str], class_name: str, *, plain: bool = False, record: bool = False
) -> dict[str, str]:
    """Return the C# property name of each JSON name of a class: unique, and different from the class and object's
    members.

    In the plain style they are also different from the types that attributes of properties name, and in a record from
    the members that the compiler adds to it.
    """
    taken = {*_OBJECT_MEMBERS, class_name, *(_IN_ATTRIBUTES if plain else ()), *(_RECORD_MEMBERS if record else ())}
    return _unique(wire_names, taken=taken)


def member_names(values: Iterable[str | int], hints: Mapping[str, str], *, struct: str = "") -> dict[str, str]:
    """Return the C# name of each enum value by its text. `hints` has the names that the document proposes.

    An open enum is a `struct` of that name: its values cannot have the names of the struct's own members.
    """
    taken = {*_VALUE_MEMBERS, struct} if struct else ()
    return _unique((str(value) for value in values), hints=hints, taken=taken)


def type_names(wanted: Iterable[tuple[str, str]], *, plain: bool = False) -> dict[str, str]:
    """Return the C# name of each type by its place, from (place, wanted name) pairs in order of precedence.

    A type gets another name if its name is used, or would hide one that the file uses (`Guid`, `Json`). The second of
    two types with one name gets a hash of its place, which does not depend on other types.
    """
    in_use = _TYPES_OF_THE_PLAIN_STYLE if plain else _TYPES_IN_USE
    found: dict[str, str] = {}
    used: set[str] = set()
    for place, want in wanted:
        name = f"{want}Type" if want in in_use else want
        if name in used:
            name = next(other for length in (4, 8, 16, 64) if (other := f"{name}{_hash(place, length)}") not in used)
        found[place] = name
        used.add(name)
    return found


def first_free(wanted: str, taken: Collection[str]) -> str:
    """Return the wanted name, with underscores added until it is not in `taken`."""
    while wanted in taken:
        wanted += "_"
    return wanted
