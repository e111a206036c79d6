"""Writes the plain style: C# that needs System.Text.Json and nothing else.

A page is written from its type alone, so that the offline model and the checks share one writer.
"""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from retouch.recipes.csharp.language.literals import quoted
from retouch.recipes.csharp.language.prose import summary_and_remarks
from retouch.recipes.csharp.naming.identifiers import first_free
from retouch.recipes.csharp.parsing.outline import BEGIN_FIELDS, END_FIELDS
from retouch.recipes.csharp.writing.unions import union_types

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from retouch.recipes.csharp.ir import CsField, CsType, Endpoint, EnumValue

EXTENSION_DATA = "JsonExtensionData"
# What the source generator of System.Text.Json declares in a context, in addition to a property for each type.
_CONTEXT_MEMBERS = frozenset(
    ("Options", "Default", "GetTypeInfo", "GeneratedSerializerOptions", "InstanceMemberBindingFlags")
)
_BUILT_IN = frozenset(
    (
        "String", "Boolean", "Int32", "UInt32", "Int64", "UInt64", "Double", "Single", "Decimal", "Byte", "Guid", "Uri",
        "Object", "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "JsonElement",
    )
)  # fmt: skip
_DERIVED_NAME = re.compile(r"(?:(\w+)Array|(?:Nullable|DictionaryString)(\w+?)(?:Array)*)")
_WIDTH = 112

# One converter for all open enums of a file. A value that the document does not name is preserved, and written
# unchanged.
SUPPORT = """\
/// <summary>An enum whose values may also be texts that the API description does not name.</summary>
public interface IOpenEnum
{
    /// <summary>The text as it is in JSON.</summary>
    string Value { get; init; }
}

/// <summary>Reads and writes an open enum as its text.</summary>
public sealed class OpenEnumConverter<T> : JsonConverter<T>
    where T : struct, IOpenEnum
{
    /// <inheritdoc/>
    public override T Read(ref Utf8JsonReader reader, global::System.Type type, JsonSerializerOptions options) =>
        new T { Value = reader.GetString() ?? "" };

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options) =>
        writer.WriteStringValue(value.Value);
}
"""

# System.Text.Json reads a discriminator only as the first property of its object, unless this option is set.
MODEL_JSON = """\
/// <summary>The options for reading and writing the types of this file.</summary>
public static class ModelJson
{
    /// <summary>Options that find the discriminator of an object at any place in it.</summary>
    public static JsonSerializerOptions Options { get; } = new() { AllowOutOfOrderMetadataProperties = true };
}
"""


def json_context(endpoint: Endpoint) -> str:
    """Return the file with the context for the source generator of System.Text.Json, which knows every type."""
    names = [type_.name for type_ in endpoint.types]
    bodies = [one.type for one in endpoint.served if one.type and "?" not in one.type]
    used = [*bodies, *(field.type for type_ in endpoint.types for field in type_.fields)]
    inside = {one for text in used for types in union_types(text) for one in types}  # the generator sees no converter
    taken = {*names}
    listed = "".join(
        f"[JsonSerializable(typeof({name}){_property_name(name, taken)})]\n"
        for name in dict.fromkeys([*names, *sorted({*bodies, *inside})])
    )
    name = first_free(f"{context_name(endpoint)}", [*names, endpoint.namespace])
    return (
        "#nullable enable\n\n"
        f"namespace {endpoint.namespace};\n\n"
        "using System;\nusing System.Collections.Generic;\nusing System.Text.Json;\n"
        "using System.Text.Json.Serialization;\n\n"
        "/// <summary>Reads and writes the types of this namespace without reflection.</summary>\n"
        "[JsonSourceGenerationOptions(AllowOutOfOrderMetadataProperties = true)]\n"
        f"{listed}"
        f"public partial class {name} : JsonSerializerContext;\n"
    )


def _property_name(name: str, types: Collection[str]) -> str:
    """Return the argument that renames the property of a type, whose usual name the source generator uses otherwise.

    It calls the property of a type `Tag` also `Tag`, and those of `Tag[]`, `Tag?` and `Dictionary<string, Tag>`
    `TagArray`, `NullableTag` and `DictionaryStringTag`.
    """
    derived = _DERIVED_NAME.fullmatch(name)
    others = {*types, *_BUILT_IN}
    is_derived = derived is not None and bool(others & {*filter(None, derived.groups())})
    if name not in types or not (is_derived or name in _CONTEXT_MEMBERS | _BUILT_IN):
        return ""
    return f', TypeInfoPropertyName = "{first_free(f"{name}Type", types)}"'


def context_name(endpoint: Endpoint) -> str:
    """Return the name of the context, which is also that of its file."""
    return f"{endpoint.namespace.partition('.')[0] if endpoint.served else endpoint.root.name}JsonContext"


def declaration_attributes(type_: CsType) -> list[str]:
    """Return the attributes of a type's declaration, without brackets."""
    if type_.kind == "enum" and not type_.integer:
        converter = "OpenEnumConverter" if type_.open else "JsonStringEnumConverter"
        return [f"JsonConverter(typeof({converter}<{type_.name}>))"]
    return [*type_.attributes]


def page_of(type_: CsType, *, whole: bool = True, underlying: str = "int") -> str:
    """Return the code of one page: the declaration with the members of `type_`, or its members alone if not `whole`."""
    members = "\n".join(_members(type_))
    if not whole:
        return f"{BEGIN_FIELDS}\n{members}{END_FIELDS}\n"
    lines = "".join(f"{line}\n" for line in _head(type_, underlying))
    return f"{lines}{{\n{members}}}\n"


def _head(type_: CsType, underlying: str) -> Iterator[str]:
    yield from documentation_lines(type_.description)
    yield from (f"[{attribute}]" for attribute in declaration_attributes(type_))
    if type_.open:
        yield f"public readonly record struct {type_.name}(string Value) : IOpenEnum"
    elif type_.kind == "enum":
        yield f"public enum {type_.name}" + (f" : {underlying}" if underlying != "int" else "")
    else:
        yield f"public {'record' if type_.record else 'class'} {type_.name}" + (
            f" : {type_.base}" if type_.base else ""
        )


def documentation_lines(description: str, indent: str = "") -> list[str]:
    """Return a documentation comment for a description, wrapped. It is empty without a description.

    A long description has a summary and remarks.
    """
    summary, remarks = summary_and_remarks(description)
    return [*_element("summary", summary, indent), *_element("remarks", remarks, indent)]


def _element(name: str, text: str, indent: str) -> list[str]:
    if not text:
        return []
    plain = escape(text)
    if len(indent) + len(plain) <= _WIDTH - 30:
        return [f"{indent}/// <{name}>{plain}</{name}>"]
    wrapped = textwrap.wrap(plain, _WIDTH - len(indent) - 4, break_long_words=False, break_on_hyphens=False)
    return [f"{indent}/// {line}" for line in (f"<{name}>", *wrapped, f"</{name}>")]


def _members(type_: CsType) -> Iterator[str]:
    if type_.kind == "enum":
        yield from (_value(type_, value) for value in type_.values)
    else:
        yield from map(_property, type_.fields)


def _property(field: CsField) -> str:
    lines = documentation_lines(field.description, "    ")
    extension = EXTENSION_DATA in field.attributes
    if not extension:
        lines.append(f"    [JsonPropertyName({quoted(field.json_name)})]")
    lines += [f"    [{attribute}]" for attribute in field.attributes]
    required = "required " if field.required else ""
    nullable = "?" if field.nullable else ""
    accessors = "{ get; set; }" if extension else "{ get; init; }"
    unset = "" if field.required or field.nullable else " = default!;"
    lines.append(f"    public {required}{field.type}{nullable} {field.name} {accessors}{unset}")
    return "".join(f"{line}\n" for line in lines)


def _value(type_: CsType, value: EnumValue) -> str:
    lines = documentation_lines(value.description, "    ")
    if type_.integer:
        lines.append(f"    {value.name} = {value.value},")
    elif type_.open:
        lines.append(f"    public static {type_.name} {value.name} {{ get; }} = new({quoted(str(value.value))});")
    else:
        lines += [f"    [JsonStringEnumMemberName({quoted(str(value.value))})]", f"    {value.name},"]
    return "".join(f"{line}\n" for line in lines)
