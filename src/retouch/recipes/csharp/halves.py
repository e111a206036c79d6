"""A page of a type in two parts: half of its fields or values each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from retouch.engine.parts import PARTS_REFUSED, PageParts
from retouch.errors import Invalid
from retouch.recipes.csharp.asking.pages import connector_page_text
from retouch.recipes.csharp.asking.paging import page_size, type_named
from retouch.recipes.csharp.asking.plain import page_text as plain_page_text
from retouch.recipes.csharp.checking.subject import form_of
from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS, END_FIELDS
from retouch.recipes.csharp.parsing.page import normalised, outline
from retouch.recipes.csharp.writing.stitch import stitch

if TYPE_CHECKING:
    from retouch.engine.types import Prompt
    from retouch.recipes.csharp.ir import CsType, Endpoint


def in_parts(endpoint: Endpoint, prompt: Prompt) -> PageParts | None:
    """Return the two parts of a page, or None if it has fewer than two fields or values.

    The parts are pages of a type that has only these members, so that their prompts have the usual form.
    """
    type_ = type_named(endpoint, prompt.unit)
    size = page_size(endpoint, type_)
    members = (type_.values if type_.kind == "enum" else type_.fields)[(prompt.page - 1) * size : prompt.page * size]
    if len(members) < 2:
        return None
    half = (len(members) + 1) // 2
    before = members[:half] if prompt.page > 1 else ()  # the declaration is on another page than both parts
    name = "values" if type_.kind == "enum" else "fields"
    cut = replace(type_, page_size=half, **{name: (*before, *members)})
    page_text = plain_page_text if endpoint.style == "plain" else connector_page_text
    skipped = len(before) // half
    numbers = (skipped + 1, skipped + 2)
    first, second = (replace(prompt, user=page_text(endpoint, cut, one, numbers[1])) for one in numbers)
    return PageParts(prompts=(first, second), join=partial(_joined, type_, prompt.page))


def _joined(type_: CsType, page: int, first: str, second: str) -> str:
    """Return the page with the members of both parts.

    Raises:
        Invalid: a part is no C# of its form.
    """
    one, other = outline(normalised(first), form_of(type_, page)), outline(normalised(second), form_of(type_, 2))
    for number, part in enumerate((one, other), 1):
        if part.fault is not None or (part.form != "type" and len(part.marks) != 2):
            message = f"part {number} of the page is no C# of the requested form"
            raise Invalid(PARTS_REFUSED, message, fix="Answer with the C# code of this page and nothing else.")
    if page == 1:
        return stitch([one, other], name=type_.name).text
    inside = [part.data[part.marks[0].end : part.marks[-1].start].decode().strip("\n") for part in (one, other)]
    return "\n".join((BEGIN_FIELDS, inside[0], "", inside[1], END_FIELDS))
