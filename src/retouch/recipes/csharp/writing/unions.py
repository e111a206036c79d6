"""The declarations that the unions of a file of the plain style need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.recipes.csharp.language.vocabulary import UNION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# One converter for all unions of a file. A JSON value of a kind that no type has is preserved unchanged.
_SUPPORT = """\
/// <summary>A value that has one of several types.</summary>
public interface IJsonUnion
{
    /// <summary>The value. It is a JsonElement if no type has the kind of its JSON.</summary>
    object? Value { get; init; }
}

/// <summary>Makes the converter of each union.</summary>
public sealed class JsonUnionConverterFactory : JsonConverterFactory
{
    /// <inheritdoc/>
    public override bool CanConvert(global::System.Type type) => typeof(IJsonUnion).IsAssignableFrom(type);

    /// <inheritdoc/>
    public override JsonConverter CreateConverter(global::System.Type type, JsonSerializerOptions options) =>
        (JsonConverter)global::System.Activator.CreateInstance(typeof(JsonUnionConverter<>).MakeGenericType(type))!;
}

/// <summary>Reads a union as the type that has the kind of the JSON value.</summary>
public sealed class JsonUnionConverter<T> : JsonConverter<T>
    where T : struct, IJsonUnion
{
    private static readonly global::System.Type[] Types = typeof(T).GetGenericArguments();

    /// <inheritdoc/>
    public override T Read(ref Utf8JsonReader reader, global::System.Type type, JsonSerializerOptions options)
    {
        var token = reader.TokenType;
        if (token == JsonTokenType.Null)
            return default;
        var found = global::System.Array.Find(Types, one => IsReadFrom(one, token));
        if (found == null)
            return new T { Value = JsonElement.ParseValue(ref reader) };
        try
        {
            return new T { Value = JsonSerializer.Deserialize(ref reader, found, options) };
        }
        catch (JsonException error)
        {
            throw new JsonException(null, error);  // the path of the inner exception begins at the union
        }
    }

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, T union, JsonSerializerOptions options)
    {
        var value = union.Value;
        var type = global::System.Array.Find(Types, one => one.IsInstanceOfType(value)) ?? value?.GetType();
        JsonSerializer.Serialize(writer, value, type ?? typeof(object), options);
    }

    private static bool IsReadFrom(global::System.Type type, JsonTokenType token) => token switch
    {
        JsonTokenType.StartArray => type.IsArray,
        JsonTokenType.True or JsonTokenType.False => type == typeof(bool),
        JsonTokenType.Number => IsNumber(type),
        JsonTokenType.StartObject => !IsText(type) && !type.IsValueType && !type.IsArray,
        _ => IsText(type),
    };

    private static bool IsNumber(global::System.Type type) =>
        type.IsEnum ? !IsText(type) : type == typeof(decimal) || (type.IsPrimitive && type != typeof(bool));

    private static bool IsText(global::System.Type type) => type.IsEnum
        ? type.IsDefined(typeof(JsonConverterAttribute), false)
        : type == typeof(string) || type == typeof(global::System.Uri)
            || (type.IsValueType && type != typeof(bool) && !IsNumber(type));
}
"""
_NUMBERS = (2, 3, 4)  # of types in a union
_STRUCT = """
/// <summary>A value of one of {number} types, for example <c>union.Value is string text</c>.</summary>
[JsonConverter(typeof(JsonUnionConverterFactory))]
public readonly record struct {union}(object? Value) : IJsonUnion
{{
{conversions}}}
"""
_CONVERSION = """\
    /// <summary>Makes a union of a value.</summary>
    public static implicit operator {union}({name} value) => new(value);
"""


def union_support() -> str:
    """Return the converter of unions, and a struct for each number of types."""
    structs: list[str] = []
    for number in _NUMBERS:
        names = [f"T{index + 1}" for index in range(number)]
        union = f"{UNION}<{', '.join(names)}>"
        conversions = "\n".join(_CONVERSION.format(union=union, name=name) for name in names)
        structs.append(_STRUCT.format(number=number, union=union, conversions=conversions))
    return _SUPPORT + "".join(structs)


def union_types(text: str) -> Iterator[Sequence[str]]:
    """Yield the types in each union of a C# type, such as `JsonUnion<string, Dictionary<string, Pet>>[]`."""
    begin = text.find(f"{UNION}<")
    while begin >= 0:
        types, depth = [""], 0
        for char in text[begin + len(UNION) + 1 :]:
            depth += (char == "<") - (char == ">")
            if depth < 0:
                break
            types = [*types, ""] if char == "," and not depth else [*types[:-1], types[-1] + char]
        yield [one.strip() for one in types]
        begin = text.find(f"{UNION}<", begin + 1)
