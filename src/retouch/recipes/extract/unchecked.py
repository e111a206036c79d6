"""Parts of a JSON Schema that its validator does not check without a word: they look like constraints and are none."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from retouch._lib.json_pointer import pointer_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch._lib.json_text import JSON

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
_DATA = frozenset({"enum", "const", "required", "dependentRequired"})
_SINCE: Mapping[str, int] = {
    "const": 6, "contains": 6, "propertyNames": 6, "if": 7, "then": 7, "else": 7, "dependentRequired": 2019,
    "dependentSchemas": 2019, "unevaluatedProperties": 2019, "unevaluatedItems": 2019, "minContains": 2019,
    "maxContains": 2019, "prefixItems": 2020,
}  # fmt: skip
_UNTIL: Mapping[str, int] = {"additionalItems": 2019}
_CONSTRAINTS = (
    *_SINCE, *_MAPS, "$ref", "type", "enum", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not",
    "required", "format", "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum",
    "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties",
    "additionalItems",
)  # fmt: skip
_OTHER = frozenset({
    "$id", "id", "$schema", "$anchor", "$comment", "$vocabulary", "$dynamicRef", "$dynamicAnchor", "$recursiveRef",
    "$recursiveAnchor", "title", "description", "default", "deprecated", "readOnly", "writeOnly", "example", "examples",
    "contentEncoding", "contentMediaType", "contentSchema", "nullable", "discriminator", "xml", "externalDocs",
})  # fmt: skip
_FORMATS: Mapping[str, int] = {
    "date": 4, "time": 4, "date-time": 4, "email": 4, "idn-email": 4, "hostname": 4, "ipv4": 4, "ipv6": 4, "uri": 4,
    "regex": 4, "uri-reference": 6, "uri-template": 6, "json-pointer": 6, "idn-hostname": 7, "iri": 7,
    "iri-reference": 7, "relative-json-pointer": 7, "duration": 2019, "uuid": 2019,
}  # fmt: skip
_ANNOTATIONS = frozenset({
    "int32", "int64", "float", "double", "byte", "binary", "password",
    "path", "file-path", "directory-path", "json-string", "base64url", "multi-host-uri", "ipvanyaddress",
    "ipvanyinterface", "ipvanynetwork", "ipv4interface", "ipv4network", "ipv6interface", "ipv6network",
})  # fmt: skip
"""Formats that OpenAPI defines, and those that pydantic writes, whose models check their values themselves."""
_CLOSE = 0.8  # of difflib: "requried" and "required" have 0.88
_LONG = 5  # letters of a name that can be called misspelt: "note" is no "not"
_NEWEST = 2020


def unchecked_parts(schema: Mapping[str, JSON]) -> tuple[str, ...]:
    """Return a line for each part of a schema that looks like a constraint and is not checked, with its place.

    These are unknown formats, misspelt keywords, and keywords that the version in `$schema` does not have. Further
    keywords are annotations, as JSON Schema specifies.
    """
    return tuple(dict.fromkeys(_unchecked(dict(schema), (), _draft(schema))))


def _draft(schema: Mapping[str, JSON]) -> int:
    named = str(schema.get("$schema", ""))
    drafts = {"draft-04": 4, "draft-06": 6, "draft-07": 7, "2019-09": 2019}
    return next((draft for name, draft in drafts.items() if name in named), _NEWEST)


def _unchecked(schema: JSON, at: tuple[str | int, ...], draft: int) -> Iterator[str]:
    if isinstance(schema, list):
        for index, one in enumerate(schema):
            yield from _unchecked(one, (*at, index), draft)
    if not isinstance(schema, dict):
        return
    place = pointer_of(at) or "the schema"
    if "$ref" in schema and draft <= 7 and (ignored := sorted({*schema} & {*_CONSTRAINTS} - {"$ref", *_MAPS})):
        yield f"{place}: {ignored[0]!r} beside '$ref', which draft {draft} ignores"
    for name, one in schema.items():
        yield from (f"{place}: {what}" for what in _wrong_keyword(name, one, draft))
        if name in _MAPS and isinstance(one, dict):
            for key, below in one.items():
                yield from _unchecked(below, (*at, name, key), draft)
        elif name in _CONSTRAINTS and name not in _DATA:
            yield from _unchecked(one, (*at, name), draft)


def _wrong_keyword(name: str, value: JSON, draft: int) -> Iterator[str]:
    if name == "format" and isinstance(value, str) and value not in _ANNOTATIONS:
        if value not in _FORMATS:
            yield f"the format {value!r} is unknown"
        elif _FORMATS[value] > draft:
            yield f"draft {draft} has no format {value!r}"
    elif _SINCE.get(name, 0) > draft or _UNTIL.get(name, _NEWEST) < draft:
        yield f"draft {draft} has no keyword {name!r}"
    elif name not in _CONSTRAINTS and name not in _OTHER and len(name) >= _LONG and not name.startswith(("x-", "$")):
        meant = get_close_matches(name, _CONSTRAINTS, 1, _CLOSE)
        if meant:
            yield f"the keyword {name!r} is unknown: {meant[0]!r} may be meant"


def said(parts: Sequence[str]) -> str:
    """Return the parts as the reason of a check that was not run."""
    more = f" (and {len(parts) - 1} more)" if len(parts) > 1 else ""
    return f"a part of the schema is not checked: {parts[0]}{more}"
