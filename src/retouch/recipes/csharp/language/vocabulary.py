"""Names that C#, .NET and the attribute libraries of data objects define."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


KEYWORDS = _names(
    """abstract as base bool break byte case catch char checked class const continue decimal default delegate do double
    else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is
    lock long namespace new null object operator out override params private protected public readonly ref return sbyte
    sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe
    ushort using virtual void volatile while"""
)

VALUE_TYPES = _names(
    """bool byte sbyte char short ushort int uint long ulong float double decimal Guid DateTime DateTimeOffset DateOnly
    TimeOnly TimeSpan JsonElement"""
)

UNION = "JsonUnion"  # a type that the files of the plain style declare themselves

BUILT_IN_TYPES = VALUE_TYPES | _names(
    """JsonUnion string object dynamic Uri Version JsonDocument JsonNode JsonObject JsonArray Dictionary IDictionary
    IReadOnlyDictionary List IList IReadOnlyList ICollection IReadOnlyCollection IEnumerable HashSet ISet Half
    BigInteger KeyValuePair Tuple Type"""
)

KEY_TYPES = _names("string Guid byte sbyte short ushort int uint long ulong DateTime DateTimeOffset DateOnly")

OUR_NAMESPACES = frozenset(
    ["", "Json.Schema.Generation", "System.Text.Json.Serialization", "Xchange.Connector.SDK.CacheWriter", "System"]
)

# First parts of the namespaces that a file uses. A type or namespace of the same name would hide them.
USED_NAMESPACES = frozenset({"System", "Json", "Xchange"})

# Attributes that restrict the values of a record, or change its meaning for the platform. Allowed only if listed.
RESTRICTING = _names(
    """MinLength MaxLength Pattern Minimum Maximum ExclusiveMinimum ExclusiveMaximum MultipleOf MinItems MaxItems
    UniqueItems Const Default ReadOnly Obsolete JsonExclude JsonExtensionData Id If Then Else AdditionalProperties
    PrimaryKey AlternateKey"""
)

HARMLESS = _names(
    """JsonPropertyName Description Title Required Nullable WriteOnly JsonIgnore JsonConverter JsonNumberHandling
    JsonPropertyOrder JsonInclude JsonStringEnumMemberName Flags Serializable"""
)

FORBIDDEN_NAMES = _names("Console File Directory Environment HttpClient Process Thread Newtonsoft")
