"""Compares two versions of a source, and lists what breaks a program that uses the older C#."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from retouch.recipes.csharp.asking.listing import written_type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint


def breaking_changes(old: Endpoint, new: Endpoint) -> tuple[str, ...]:
    """Return the breaking changes from `old` to `new`, one sentence each, in the order of the old types.

    These are: a key that changed, a type, property or enum value that is gone or has another C# name, a property whose
    type or nullability changed, and a property that became required. Additions break nothing.

    Example: `Pet.tag: the type was 'string' and is 'long?'`.
    """
    return tuple(_changes(old, new))


def with_changes(old: Endpoint, new: Endpoint) -> Endpoint:
    """Return `new` with its breaking changes since `old`. If no type changed, those of `old` are reused."""
    if replace(new, changes=()) == replace(old, changes=()):
        return old
    if replace(new, changes=(), decisions=()) == replace(old, changes=(), decisions=()):
        return replace(new, changes=old.changes)
    return replace(new, changes=breaking_changes(old, new))


def _changes(old: Endpoint, new: Endpoint) -> Iterator[str]:
    if old.style != new.style:
        yield f"the style was {old.style!r} and is {new.style!r}: every type is written in another way"
        return
    if old.namespace != new.namespace:
        yield f"the namespace was {old.namespace!r} and is {new.namespace!r}"
    by_origin = {type_.origin: type_ for type_ in new.types if type_.origin}
    for type_ in old.types:
        now = new.by_name.get(type_.name)
        if now is None:
            moved = by_origin.get(type_.origin)
            end = f": it is called {moved.name} now" if moved is not None and moved.name not in old.by_name else ""
            yield f"{type_.name}: the type is gone{end}"
        else:
            yield from _of_type(type_, now, _all_fields(old, type_), _all_fields(new, now))
    yield from _of_endpoints(old, new)


def _all_fields(endpoint: Endpoint, type_: CsType) -> tuple[CsField, ...]:
    """Return the fields of a type and of its base class."""
    base = endpoint.by_name.get(type_.base)
    return type_.fields if base is None else (*base.fields, *type_.fields)


def _of_type(old: CsType, new: CsType, old_fields: Sequence[CsField], new_fields: Sequence[CsField]) -> Iterator[str]:
    if (old.kind, old.integer, old.open) != (new.kind, new.integer, new.open):
        yield f"{old.name}: it was {_kind(old)} and is {_kind(new)}"
        return
    if old.key != new.key and old.key:
        yield f"{old.name}: the key was {_key(old)} and is {_key(new)}"
    if old.base != new.base:
        yield f"{old.name}: its base class was {old.base or 'none'} and is {new.base or 'none'}"
    if old.kind == "enum":
        yield from _of_values(old, new)
        return
    for attribute in old.attributes:
        if attribute not in new.attributes:
            yield f"{old.name}: the attribute [{attribute}] is gone"
    fields = {field.json_name: field for field in new_fields}
    for field in old_fields:
        yield from _of_field(f"{old.name}.{field.json_name}", field, fields.get(field.json_name))
    known = {field.json_name for field in old_fields}
    for field in new_fields:
        if field.required and field.json_name not in known:
            yield f"{old.name}.{field.json_name}: the property is new and required"


def _of_field(where: str, old: CsField, new: CsField | None) -> Iterator[str]:
    if new is None:
        yield f"{where}: the property is gone"
        return
    if old.name != new.name:
        yield f"{where}: the C# name was {old.name} and is {new.name}"
    if old.type != new.type:
        yield f"{where}: the type was {written_type(old)!r} and is {written_type(new)!r}"
    elif old.nullable != new.nullable:
        yield f"{where}: it {'can be null now' if new.nullable else 'can no longer be null'}"
    if new.required and not old.required:
        yield f"{where}: it is required now"


def _of_values(old: CsType, new: CsType) -> Iterator[str]:
    names: Mapping[str | int, str] = {value.value: value.name for value in new.values}
    for value in old.values:
        if value.value not in names:
            yield f"{old.name}: the value {value.value!r} is gone"
        elif names[value.value] != value.name:
            yield f"{old.name}: the C# name of {value.value!r} was {value.name} and is {names[value.value]}"


def _of_endpoints(old: Endpoint, new: Endpoint) -> Iterator[str]:
    now = {(one.endpoint, one.part, one.status if one.part else ""): one for one in new.served}
    for one in old.served:
        found = now.get((one.endpoint, one.part, one.status if one.part else ""))
        what = " ".join(filter(None, (one.part or "endpoint", one.status if one.part else "")))
        if found is None:
            yield f"{one.endpoint}: the {what} is gone"
        elif one.type and one.type != found.type:
            now_is = repr(found.type) if found.type else "none"
            yield f"{one.endpoint}: the type was {one.type!r} and is {now_is}"


def _kind(type_: CsType) -> str:
    if type_.kind == "class":
        return "a class"
    return "an enum of integers" if type_.integer else "an open enum" if type_.open else "an enum"


def _key(type_: CsType) -> str:
    return ", ".join(map(repr, type_.key[1:])) or "none"
