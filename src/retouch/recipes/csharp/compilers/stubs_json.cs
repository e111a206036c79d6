// What data objects use of System.Text.Json, for a compiler whose base library lacks it.
// Declarations only, written from the documentation.
namespace System.Text.Json
{
    public readonly struct JsonElement { }
    public class JsonDocument { }
}
namespace System.Text.Json.Nodes
{
    public abstract class JsonNode { }
    public sealed class JsonObject : JsonNode { }
    public sealed class JsonArray : JsonNode { }
}
namespace System.Text.Json.Serialization
{
    using System;
    public enum JsonIgnoreCondition { Never, Always, WhenWritingDefault, WhenWritingNull }
    [Flags] public enum JsonNumberHandling { Strict = 0, AllowReadingFromString = 1, WriteAsString = 2, AllowNamedFloatingPointLiterals = 4 }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonPropertyNameAttribute : Attribute { public JsonPropertyNameAttribute(string name) { } }
    [AttributeUsage(AttributeTargets.Field)]
    public sealed class JsonStringEnumMemberNameAttribute : Attribute { public JsonStringEnumMemberNameAttribute(string name) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonIgnoreAttribute : Attribute { public JsonIgnoreCondition Condition { get; set; } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonExtensionDataAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonRequiredAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonNumberHandlingAttribute : Attribute { public JsonNumberHandlingAttribute(JsonNumberHandling handling) { } }
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum | AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonConverterAttribute : Attribute { public JsonConverterAttribute(Type converterType) { } }
    public abstract class JsonConverter { }
    public abstract class JsonConverter<T> : JsonConverter { }
    public class JsonStringEnumConverter : JsonConverter { }
    public class JsonStringEnumConverter<TEnum> : JsonConverter where TEnum : struct, Enum { }
}
