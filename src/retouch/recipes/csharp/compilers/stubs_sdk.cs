// The attributes of JsonSchema.Net.Generation and of the connector SDK that data objects use.
// Declarations only, written from the documentation: a check needs neither package.
namespace Xchange.Connector.SDK.CacheWriter
{
    using System;
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class PrimaryKeyAttribute : Attribute { public PrimaryKeyAttribute(string name, params string[] properties) { } }
    [AttributeUsage(AttributeTargets.Class, AllowMultiple = true)]
    public sealed class AlternateKeyAttribute : Attribute { public AlternateKeyAttribute(string name, params string[] properties) { } }
}
namespace Json.Schema.Generation
{
    using System;
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum | AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class TitleAttribute : Attribute { public TitleAttribute(string title) { } }
    [AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Enum | AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class DescriptionAttribute : Attribute { public DescriptionAttribute(string description) { } }
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class IdAttribute : Attribute { public IdAttribute(string uri) { } }
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class AdditionalPropertiesAttribute : Attribute { public AdditionalPropertiesAttribute(bool allowed) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class NullableAttribute : Attribute { public NullableAttribute(bool isNullable) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class RequiredAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class WriteOnlyAttribute : Attribute { public WriteOnlyAttribute() { } public WriteOnlyAttribute(bool isWriteOnly) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class ReadOnlyAttribute : Attribute { public ReadOnlyAttribute() { } public ReadOnlyAttribute(bool isReadOnly) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class JsonExcludeAttribute : Attribute { }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MinLengthAttribute : Attribute { public MinLengthAttribute(uint length) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MaxLengthAttribute : Attribute { public MaxLengthAttribute(uint length) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class PatternAttribute : Attribute { public PatternAttribute(string pattern) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MinItemsAttribute : Attribute { public MinItemsAttribute(uint value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MaxItemsAttribute : Attribute { public MaxItemsAttribute(uint value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class UniqueItemsAttribute : Attribute { public UniqueItemsAttribute(bool value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MinimumAttribute : Attribute { public MinimumAttribute(double value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MaximumAttribute : Attribute { public MaximumAttribute(double value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class ExclusiveMinimumAttribute : Attribute { public ExclusiveMinimumAttribute(double value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class ExclusiveMaximumAttribute : Attribute { public ExclusiveMaximumAttribute(double value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class MultipleOfAttribute : Attribute { public MultipleOfAttribute(double value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class ConstAttribute : Attribute { public ConstAttribute(object value) { } }
    [AttributeUsage(AttributeTargets.Property | AttributeTargets.Field)]
    public sealed class DefaultAttribute : Attribute { public DefaultAttribute(object value) { } }
}
namespace Retouch.Check
{
    class Entry { static void Main() { } }
}
