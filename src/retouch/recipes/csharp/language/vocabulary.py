"""Names that C#, .NET and the attribute libraries of data objects define."""

from __future__ import annotations

KEYWORDS = frozenset({
    "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class", "const",
    "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event", "explicit", "extern",
    "false", "finally", "fixed", "float", "for", "foreach", "goto", "if", "implicit", "in", "int", "interface",
    "internal", "is", "lock", "long", "namespace", "new", "null", "object", "operator", "out", "override", "params",
    "private", "protected", "public", "readonly", "ref", "return", "sbyte", "sealed", "short", "sizeof", "stackalloc",
    "static", "string", "struct", "switch", "this", "throw", "true", "try", "typeof", "uint", "ulong", "unchecked",
    "unsafe", "ushort", "using", "virtual", "void", "volatile", "while",
})  # fmt: skip

VALUE_TYPES = frozenset({
    "bool", "byte", "sbyte", "char", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal",
    "Guid", "DateTime", "DateTimeOffset", "DateOnly", "TimeOnly", "TimeSpan", "JsonElement",
})  # fmt: skip

UNION = "JsonUnion"  # a type that the files of the plain style declare themselves

BUILT_IN_TYPES = VALUE_TYPES | frozenset({
    "JsonUnion", "string", "object", "dynamic", "Uri", "Version", "JsonDocument", "JsonNode", "JsonObject",
    "JsonArray", "Dictionary", "IDictionary", "IReadOnlyDictionary", "List", "IList", "IReadOnlyList", "ICollection",
    "IReadOnlyCollection", "IEnumerable", "HashSet", "ISet", "Half", "BigInteger", "KeyValuePair", "Tuple", "Type",
})  # fmt: skip

KEY_TYPES = frozenset({
    "string", "Guid", "byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong", "DateTime",
    "DateTimeOffset", "DateOnly",
})  # fmt: skip

OUR_NAMESPACES = frozenset(
    ["", "Json.Schema.Generation", "System.Text.Json.Serialization", "Xchange.Connector.SDK.CacheWriter", "System"]
)

# First parts of the namespaces that a file uses. A type or namespace of the same name would hide them.
USED_NAMESPACES = frozenset({"System", "Json", "Xchange"})

# Attributes that restrict the values of a record, or change its meaning for the platform. Allowed only if listed.
RESTRICTING = frozenset({
    "MinLength", "MaxLength", "Pattern", "Minimum", "Maximum", "ExclusiveMinimum", "ExclusiveMaximum", "MultipleOf",
    "MinItems", "MaxItems", "UniqueItems", "Const", "Default", "ReadOnly", "Obsolete", "JsonExclude",
    "JsonExtensionData", "Id", "If", "Then", "Else", "AdditionalProperties", "PrimaryKey", "AlternateKey",
})  # fmt: skip

HARMLESS = frozenset({
    "JsonPropertyName", "Description", "Title", "Required", "Nullable", "WriteOnly", "JsonIgnore", "JsonConverter",
    "JsonNumberHandling", "JsonPropertyOrder", "JsonInclude", "JsonStringEnumMemberName", "Flags", "Serializable",
})  # fmt: skip

FORBIDDEN_NAMES = frozenset({
    "Console", "File", "Directory", "Environment", "HttpClient", "Process", "Thread", "Newtonsoft",
})  # fmt: skip
