// What the C# of the measured tools needs of .NET and mono's base library does not have, the same for every tool.
namespace System.Runtime.CompilerServices
{
    internal static class IsExternalInit { }
    [AttributeUsage(AttributeTargets.All, Inherited = false)]
    internal sealed class RequiredMemberAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.All, AllowMultiple = true, Inherited = false)]
    internal sealed class CompilerFeatureRequiredAttribute : Attribute { public CompilerFeatureRequiredAttribute(string featureName) { } }
}
namespace System
{
    using System.Globalization;
    using System.Text.Json;
    using System.Text.Json.Serialization;

    [JsonConverter(typeof(DateOnlyStandIn))]
    public struct DateOnly
    {
        private DateTime _value;
        public static DateOnly Parse(string text) => new DateOnly { _value = DateTime.Parse(text, CultureInfo.InvariantCulture) };
        public override string ToString() => ToString("yyyy-MM-dd");
        public string ToString(string format) => _value.ToString(format, CultureInfo.InvariantCulture);
    }
    [JsonConverter(typeof(TimeOnlyStandIn))]
    public struct TimeOnly
    {
        private DateTime _value;
        public static TimeOnly Parse(string text) => new TimeOnly { _value = DateTime.Parse(text, CultureInfo.InvariantCulture) };
        public override string ToString() => ToString("HH:mm:ss.FFFFFFF");
        public string ToString(string format) => _value.ToString(format, CultureInfo.InvariantCulture);
    }
    internal sealed class DateOnlyStandIn : JsonConverter<DateOnly>
    {
        public override DateOnly Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => DateOnly.Parse(reader.GetString());
        public override void Write(Utf8JsonWriter writer, DateOnly value, JsonSerializerOptions options) => writer.WriteStringValue(value.ToString());
    }
    internal sealed class TimeOnlyStandIn : JsonConverter<TimeOnly>
    {
        public override TimeOnly Read(ref Utf8JsonReader reader, Type type, JsonSerializerOptions options) => TimeOnly.Parse(reader.GetString());
        public override void Write(Utf8JsonWriter writer, TimeOnly value, JsonSerializerOptions options) => writer.WriteStringValue(value.ToString());
    }
}
