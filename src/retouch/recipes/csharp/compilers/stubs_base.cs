// What data objects may use of the base library, for a compiler whose copy of it is trimmed.
// Declarations only, written from the documentation.
namespace System.Text.Json
{
    using System;
    public readonly struct JsonElement { public static JsonElement ParseValue(ref Utf8JsonReader reader) => default; }
    public class JsonException : Exception { public JsonException(string? message, Exception? innerException) { } }
    public enum JsonTokenType : byte { None, StartObject, EndObject, StartArray, EndArray, PropertyName, Comment, String, Number, True, False, Null }
    public static class JsonSerializer
    {
        public static object? Deserialize(ref Utf8JsonReader reader, Type returnType, JsonSerializerOptions? options = null) => null;
        public static void Serialize(Utf8JsonWriter writer, object? value, Type inputType, JsonSerializerOptions? options = null) { }
    }
    public class JsonDocument { }
    public sealed class JsonSerializerOptions { public bool AllowOutOfOrderMetadataProperties { get; set; } }
    public ref struct Utf8JsonReader { public string? GetString() => null; public JsonTokenType TokenType => default; }
    public sealed class Utf8JsonWriter : IDisposable { public void WriteStringValue(string? value) { } public void Dispose() { } }
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
    public abstract class JsonConverter { public abstract bool CanConvert(Type typeToConvert); }
    public abstract class JsonConverter<T> : JsonConverter
    {
        public override bool CanConvert(Type typeToConvert) => true;
        public abstract T? Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options);
        public abstract void Write(Utf8JsonWriter writer, T value, JsonSerializerOptions options);
    }
    public abstract class JsonConverterFactory : JsonConverter { public abstract JsonConverter? CreateConverter(Type typeToConvert, JsonSerializerOptions options); }
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface)]
    public sealed class JsonPolymorphicAttribute : Attribute
    {
        public string? TypeDiscriminatorPropertyName { get; set; }
        public bool IgnoreUnrecognizedTypeDiscriminators { get; set; }
    }
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Interface, AllowMultiple = true)]
    public sealed class JsonDerivedTypeAttribute : Attribute
    {
        public JsonDerivedTypeAttribute(Type derivedType) { }
        public JsonDerivedTypeAttribute(Type derivedType, string typeDiscriminator) { }
        public JsonDerivedTypeAttribute(Type derivedType, int typeDiscriminator) { }
    }
    public class JsonStringEnumConverter : JsonConverterFactory
    {
        public sealed override bool CanConvert(Type typeToConvert) => true;
        public sealed override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options) => this;
    }
    public sealed class JsonStringEnumConverter<TEnum> : JsonConverterFactory where TEnum : struct, Enum
    {
        public override bool CanConvert(Type typeToConvert) => true;
        public override JsonConverter? CreateConverter(Type typeToConvert, JsonSerializerOptions options) => this;
    }
}
namespace System.ComponentModel.DataAnnotations
{
    using System;
    public abstract class ValidationAttribute : Attribute { public string? ErrorMessage { get; set; } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class KeyAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public class RequiredAttribute : ValidationAttribute { public bool AllowEmptyStrings { get; set; } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public class StringLengthAttribute : ValidationAttribute { public StringLengthAttribute(int maximumLength) { } public int MinimumLength { get; set; } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public class MinLengthAttribute : ValidationAttribute { public MinLengthAttribute(int length) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public class MaxLengthAttribute : ValidationAttribute { public MaxLengthAttribute(int length) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public class RangeAttribute : ValidationAttribute { public RangeAttribute(int minimum, int maximum) { } public RangeAttribute(double minimum, double maximum) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public class RegularExpressionAttribute : ValidationAttribute { public RegularExpressionAttribute(string pattern) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class EmailAddressAttribute : ValidationAttribute { }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class PhoneAttribute : ValidationAttribute { }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class UrlAttribute : ValidationAttribute { }
}
