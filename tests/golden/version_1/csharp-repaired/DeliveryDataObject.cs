namespace Connector.App.v1.Delivery;

using Json.Schema.Generation;
using System;
using System.Text.Json;
using System.Text.Json.Serialization;
using Xchange.Connector.SDK.CacheWriter;

// [SCHMITH:BEGIN DeliveryDataObject]
[PrimaryKey("id", nameof(Id))]
public class DeliveryDataObject
{
    [JsonPropertyName("id")]
    [Required]
    public required long Id { get; init; }

    [JsonPropertyName("number")]
    [Required]
    public required string Number { get; init; }

    [JsonPropertyName("state")]
    [Required]
    public required DeliveryState State { get; init; }

    [JsonPropertyName("window")]
    [Nullable(true)]
    public DeliveryWindow? Window { get; init; }

    [JsonPropertyName("stops")]
    [Nullable(true)]
    public DeliveryStop[]? Stops { get; init; }

    [JsonPropertyName("notes")]
    [Nullable(true)]
    public string[]? Notes { get; init; }

    [JsonPropertyName("previous")]
    [Nullable(true)]
    public DeliveryDataObject? Previous { get; init; }
}
// [SCHMITH:END DeliveryDataObject]

// [SCHMITH:BEGIN DeliveryState]
[JsonConverter(typeof(JsonStringEnumConverter))]
public enum DeliveryState
{
    [JsonStringEnumMemberName("planned")]
    Planned,

    [JsonStringEnumMemberName("loading")]
    Loading,

    [JsonStringEnumMemberName("on_the_way")]
    OnTheWay,

    [JsonStringEnumMemberName("delivered")]
    Delivered,

    [JsonStringEnumMemberName("returned")]
    Returned,
}
// [SCHMITH:END DeliveryState]

// [SCHMITH:BEGIN DeliveryWindow]
public class DeliveryWindow
{
    [JsonPropertyName("from")]
    [Required]
    public required DateTime From { get; init; }

    [JsonPropertyName("to")]
    [Required]
    public required DateTime To { get; init; }
}
// [SCHMITH:END DeliveryWindow]

// [SCHMITH:BEGIN DeliveryStop]
public class DeliveryStop
{
    [JsonPropertyName("site")]
    [Required]
    public required string Site { get; init; }

    [JsonPropertyName("pallets")]
    [Nullable(true)]
    public long[]? Pallets { get; init; }

    [JsonPropertyName("contact")]
    [Nullable(true)]
    public Person? Contact { get; init; }
}
// [SCHMITH:END DeliveryStop]

// [SCHMITH:BEGIN Person]
public class Person
{
    [JsonPropertyName("id")]
    [Required]
    public required long Id { get; init; }

    [JsonPropertyName("name")]
    [Required]
    public required string Name { get; init; }

    [JsonPropertyName("phone")]
    [Nullable(true)]
    [WriteOnly]
    public string? Phone { get; init; }
}
// [SCHMITH:END Person]
