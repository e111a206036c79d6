"""The files of a run: the assembled C# with its head, and the page for review."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.engine.recipe import Block, Unread
from retouch.recipes.csharp.parsing.page import normalised
from retouch.recipes.csharp.writing.blocks import MARKER_TEXT, assemble_cs, type_blocks
from retouch.recipes.csharp.writing.code import CsCode
from retouch.recipes.csharp.writing.stitch import stitch_type_pages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from retouch.recipes.csharp.ir import Endpoint

_COLLECTIONS = re.compile(r"\b(?:\w*Dictionary|\w*List|I\w*Collection|IEnumerable|\w*Set|KeyValuePair)\s*<")

_OPEN_ENUM = re.compile(r"^public readonly record struct \w+\(string Value\) : IOpenEnum$", re.MULTILINE)


def stitch_and_assemble(all_type_pages: Sequence[tuple[str, bool, Sequence[str]]]) -> str:
    """Return the blocks of all types from their pages: `(type name, is root, pages)` in order.

    Raises:
        ValueError: a page cannot be parsed, a name is duplicated, or a page contains a marker.
    """
    return assemble_cs([(name, stitch_type_pages(pages)) for name, _, pages in all_type_pages])


def compose(endpoint: Endpoint, texts: Mapping[str, str]) -> str:
    """Return the `.cs` file: namespace, usings, then the text of every type of the endpoint that `texts` names."""
    blocks = assemble_cs([(type_.name, texts[type_.name]) for type_ in endpoint.types if type_.name in texts])
    if endpoint.style == "plain":
        return _plain_file(endpoint, blocks)
    usings = ["Json.Schema.Generation", "System"]
    if _COLLECTIONS.search(blocks):
        usings.append("System.Collections.Generic")
    usings += ["System.Text.Json", "System.Text.Json.Serialization", "Xchange.Connector.SDK.CacheWriter"]
    lines = "".join(f"using {name};\n" for name in usings)
    return f"namespace {endpoint.namespace};\n\n{lines}\n{blocks}"


def _plain_file(endpoint: Endpoint, blocks: str) -> str:
    usings = ["System"]
    if _COLLECTIONS.search(blocks):
        usings.append("System.Collections.Generic")
    if "[DefaultValue(" in blocks:
        usings.append("System.ComponentModel")
    usings += ["System.Text.Json", "System.Text.Json.Serialization"]
    lines = "".join(f"using {name};\n" for name in usings)
    support = ""
    if any(type_.open for type_ in endpoint.types) or _OPEN_ENUM.search(blocks):  # a manual edit may have one
        from retouch.recipes.csharp.writing.plain import SUPPORT

        support = f"\n{SUPPORT}"
    if "JsonUnion<" in blocks:
        from retouch.recipes.csharp.writing.unions import union_support

        support += f"\n{union_support()}"
    if "\n[JsonPolymorphic(" in blocks:
        from retouch.recipes.csharp.writing.plain import MODEL_JSON

        support += f"\n{MODEL_JSON}"
    return f"#nullable enable\n\nnamespace {endpoint.namespace};\n\n{lines}\n{blocks}{support}"


def cs_file_name(endpoint: Endpoint) -> str:
    """Return the name of the assembled file: that of the root class, or of the project."""
    return f"{endpoint.namespace.partition('.')[0] if endpoint.served else endpoint.root.name}.cs"


def assemble(endpoint: Endpoint, values: Mapping[str, CsCode | Unread]) -> Mapping[str, str]:
    """Return the files of a run, the C# file and schema.md. A type that cannot be read keeps its raw answer."""
    from retouch.recipes.csharp.writing.schema_md import schema_markdown

    texts = {name: _block_text(name, value) for name, value in values.items()}
    files = {cs_file_name(endpoint): compose(endpoint, texts), "schema.md": schema_markdown(endpoint)}
    if "context" in endpoint.extras:
        from retouch.recipes.csharp.writing.plain import context_name, json_context

        files[f"{context_name(endpoint)}.cs"] = json_context(endpoint)
    if endpoint.served:
        from retouch.recipes.csharp.writing.project import project_files

        files |= project_files(endpoint)
    return files


def blocks(file: str, text: str) -> Sequence[Block]:
    """Return the position of each type's code in an assembled C# file. Other files have none."""
    if not file.endswith(".cs") or file.endswith("JsonContext.cs"):
        return ()
    return [Block(unit=found.name, start=found.start, end=found.code_end) for found in type_blocks(text)]


def _block_text(name: str, value: CsCode | Unread) -> str:
    if isinstance(value, CsCode):
        return value.text
    harmless = MARKER_TEXT.sub("// (", normalised(value.text))  # a marker in it would break the structure of the file
    return harmless if harmless.strip() else f"// {name} has no answer yet."
