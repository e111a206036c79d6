"""Schemas without references and without alternatives that say the same in another way, as the words of a tool need.

An optional argument of a Python server is `{"anyOf": [{"type": "string"}, {"type": "null"}]}`, a choice of it
`{"$ref": "#/$defs/Status"}`, and a choice of some TypeScript servers `{"anyOf": [{"const": "open"}, ...]}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from retouch._lib.json_text import JSON

_DEEPEST = 12
_CHOICES = ("anyOf", "oneOf")


def plain_schema(schema: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return a schema of arguments without local references, nullable alternatives and lists of constants.

    It shows what an argument takes, and is not meant to validate values: a list of values may lack null. What refers to
    itself, or is nested more than 12 deep, stays as it is. A value that may be null has `"null"` in its `type`.

    For example:
        >>> plain_schema({"properties": {"to": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}})
        {'properties': {'to': {'default': None, 'type': ['string', 'null']}}}
    """
    return cast("dict[str, JSON]", _plain(dict(schema), dict(schema), ()))


def _plain(node: JSON, root: dict[str, JSON], seen: tuple[str, ...]) -> JSON:
    if isinstance(node, list):
        return [_plain(one, root, seen) for one in node]
    if not isinstance(node, dict) or len(seen) > _DEEPEST:
        return node
    reference = node.get("$ref")
    if isinstance(reference, str):
        target = None if reference in seen else _target(reference, root)
        if not isinstance(target, dict):
            return node
        rest = {key: one for key, one in node.items() if key != "$ref"}
        return _plain({**target, **rest}, root, (*seen, reference))
    below = {
        key: one if key in {"enum", "const", "default", "examples"} else _plain(one, root, seen)
        for key, one in node.items()
    }
    return _of_constants(_nullable(_alone(below)))


def _target(reference: str, root: dict[str, JSON]) -> JSON:
    node: JSON = root
    for token in reference.removeprefix("#/").split("/"):
        node = node.get(token.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    return node


def _alone(node: dict[str, JSON]) -> dict[str, JSON]:
    """Return a schema with the only one of the schemas that must all hold: what says more is in `node` itself."""
    both = node.get("allOf")
    if not isinstance(both, list) or len(both) != 1 or not isinstance(both[0], dict):
        return node
    return {**both[0], **{key: one for key, one in node.items() if key != "allOf"}}


def _nullable(node: dict[str, JSON]) -> dict[str, JSON]:
    """Return the only alternative to null, with null as a further type."""
    for word in _CHOICES:
        choices = node.get(word)
        if not isinstance(choices, list):
            continue
        others = [one for one in choices if isinstance(one, dict) and one.get("type") != "null"]
        if len(others) != 1 or len(choices) > 2 or (len(choices) == 2 and {"type": "null"} not in choices):
            continue
        (one,) = others
        found = {**one, **{key: value for key, value in node.items() if key != word}}
        kinds = one.get("type")
        if len(choices) == 2 and kinds is not None:
            found["type"] = [*(kinds if isinstance(kinds, list) else [kinds]), "null"]
        return found
    return node


def _of_constants(node: dict[str, JSON]) -> dict[str, JSON]:
    """Return a schema with its constants as a list of values."""
    if "const" in node and "enum" not in node:
        return {**{key: one for key, one in node.items() if key != "const"}, "enum": [node["const"]]}
    for word in _CHOICES:
        choices = node.get(word)
        if not isinstance(choices, list) or not choices or "enum" in node:
            continue
        listed = [one.get("enum") if isinstance(one, dict) else None for one in choices]
        if all(isinstance(one, list) for one in listed):
            values: list[JSON] = [value for one in listed if isinstance(one, list) for value in one]
            texts: dict[str, JSON] = {"type": "string"} if all(isinstance(one, str) for one in values) else {}
            return {**{key: one for key, one in node.items() if key != word}, **texts, "enum": values}
    return node
