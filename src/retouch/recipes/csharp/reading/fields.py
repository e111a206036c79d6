"""What all styles write of a field: its type, nullability and notes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.csharp.ir import CsField
from retouch.recipes.csharp.language.prose import one_line

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from retouch.recipes.csharp.document.document import Document
    from retouch.recipes.csharp.reading.field_types import FieldType
    from retouch.recipes.csharp.shapes.shape import Body, Shape

_TIMES = re.compile(r"\bDateTime(?:Offset)?\b")
_LONG_TIMES = "text, since an example has more digits of a second than the seven that C# keeps"


def long_times_of(document: Document) -> Collection[tuple[str, str]]:
    """Return the place of the class, and the JSON name, of each member with an example that no time of C# can hold."""
    from retouch.recipes.csharp.reading.long_times import members_with_long_times

    return document.once(members_with_long_times)


def written_field(
    names: tuple[str, str],
    shape: Shape,
    written: FieldType,
    *,
    required: bool,
    notes: Sequence[str],
    has_long_times: bool,
) -> CsField:
    """Return a field without description and attributes, which each style has its own form of.

    `names` are its JSON name and its C# name. `notes` come after those of the type. With `has_long_times` its times are
    text, since an example of the document has more than seven digits of a second.
    """
    text = _TIMES.sub("string", written.text) if has_long_times else written.text
    found = [*written.notes, *notes]
    if shape.write_only:
        found.append("writeOnly: sent in requests only")
    if shape.deprecated:
        found.append("deprecated")
    if len(shape.body.values) == 1:
        found.append(f"always {shape.body.values[0].value!r}")
    if not (shape.body.is_class or shape.body.is_enum):
        found += shape.body.notes
    said = tuple(map(one_line, dict.fromkeys([*found, *shape.notes])))
    return CsField(
        json_name=names[0],
        name=names[1],
        type=text,
        types=written.types,
        required=required,
        nullable=shape.nullable or not required,
        notes=said if text == written.text else (*said, _LONG_TIMES),
    )


def type_notes(body: Body) -> tuple[str, ...]:
    """Return the notes for the reviewer about a type."""
    missing = sorted(body.required - body.members.keys()) if body.is_class else []
    unknown = (f"required but not described: {', '.join(map(repr, missing))}",) if missing else ()
    return tuple(map(one_line, (*body.notes, *unknown)))
