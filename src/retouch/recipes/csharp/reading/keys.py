"""The primary key of a root class."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.errors import BadInput, UnknownName
from retouch.recipes.csharp.language.vocabulary import KEY_TYPES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.csharp.ir import CsField

KEY_NAME = "id"
_LAST_RESORTS = ("uuid", "guid", "key")
_plain = partial(re.compile(r"[^a-z0-9]").sub, "")  # without signs


def chosen_key(fields: Sequence[CsField], *, object_name: str, enums: Collection[str]) -> tuple[str, str]:
    """Return the JSON name of the property that identifies a record ("" if there is none), and the reason.

    The order is: `id`, `<type>Id` or `<type>_id` for the whole name of the type and its last word, `uuid`, `guid`,
    `key`. Only required scalars that are never null are used.
    """
    by_name = {_plain(field.json_name.lower()): field for field in reversed(fields)}
    last_word = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", object_name)[-1:] or [object_name]
    wanted = ["id", f"{_plain(object_name.lower())}id", f"{_plain(last_word[0].lower())}id", *_LAST_RESORTS]
    refused: list[str] = []
    for name in dict.fromkeys(wanted):
        field = by_name.get(name)
        if field is None:
            continue
        if field.type not in KEY_TYPES and field.type not in enums:
            refused.append(f"{field.json_name!r} is a {field.type}")
        elif not field.required or field.nullable:
            refused.append(f"{field.json_name!r} may be {'null' if field.required else 'absent'}")
        else:
            return field.json_name, f"key: {field.json_name!r}, a required {field.type} named like an identifier"
    why = f"; {', '.join(refused)}" if refused else ""
    return "", f"no primary key{why}: name one with --key"


def fields_with_key(fields: Sequence[CsField], key: Sequence[str], *, enums: Collection[str]) -> tuple[CsField, ...]:
    """Return the fields, with those of the user's key made required and never null.

    Raises:
        UnknownName: the class has no such property.
        BadInput: a property's type cannot be part of a key.
    """
    known = {field.json_name: field for field in fields}
    for name in key:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=5) or list(known)[:5]
            raise UnknownName(f"no property {name!r} for the key", hint=f"It has {', '.join(map(repr, near))}.")
        if known[name].type not in KEY_TYPES and known[name].type not in enums:
            raise BadInput(
                f"{name!r} is a {known[name].type}, which cannot be part of a key",
                hint="Choose text, integer or Guid properties.",
            )
    return tuple(_promoted(field) if field.json_name in key else field for field in fields)


def _promoted(field: CsField) -> CsField:
    attributes = tuple(attribute for attribute in field.attributes if attribute != "WriteOnly")
    if not field.nullable and field.required:
        return replace(field, attributes=attributes)
    note = "review: required and never null because it is part of the key; the document does not promise that"
    return replace(field, nullable=False, required=True, attributes=attributes, notes=(*field.notes, note))
