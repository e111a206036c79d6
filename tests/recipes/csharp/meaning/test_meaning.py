"""The meaning pass of one endpoint: what is asked, what is taken, and what is written."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import retouch
from retouch.recipes.csharp.job import recipe
from tests.recipes.csharp.meaning.shop import MEANING, model, order, proposal

if TYPE_CHECKING:
    from pathlib import Path

GOOD = {
    "Order": [
        proposal("summary", "", "An order of a customer, with its status and its total."),
        proposal("summary", "note", "A note about the order."),
        proposal("remarks", "note", "The customer may have a note with the order."),
        proposal("remarks", "", "An order is open, packed or sent."),
        proposal("type", "placed", "date-time"),
        proposal("type", "link", "uri", "The URL of the order."),
        proposal("type", "total", "money", "The amount that the customer pays"),
        proposal("enum_value", "status", "open"),
        proposal("enum_value", "status", "packed"),
        proposal("enum_value", "status", "sent"),
        proposal("nullable", "closed", "", "It is null while the order is open"),
        proposal("personal", "phone_number", "It is the phone number of the customer.", "phone number of the customer"),
        proposal("key", "sku", "The sku names one order."),
        proposal("question", "day", "Which form does the day have?"),
    ],
    "OrderShip": [proposal("name", "", "ShippingAddress")],
    "OrderBill": [proposal("name", "", "BillingStreet"), proposal("summary", "iban", "The IBAN of the bill.")],
    "OrderLevel": [
        proposal("value_name", "0", "Normal"),
        proposal("remarks", "0", "The level 0 is a normal order."),
        proposal("value_name", "1", "Rush"),
    ],
}


@pytest.mark.slow
def test_what_is_proposed_and_supported_is_written(tmp_path: Path):
    used = model(GOOD)
    result = retouch.generate(recipe, order(tmp_path / "doc"), tmp_path / "run", used)
    assert [] == [one.message for one in result.issues if one.code != "NOT_COMPILED"]  # without a compiler
    assert result.status in ("verified", "unverified")
    assert 1 == len(used.requests)
    code = (tmp_path / "run" / "Order.cs").read_text("utf-8")
    for line in (
        "/// <summary>An order of a customer, with its status and its total.</summary>",
        "    /// <summary>A note about the order.</summary>",
        "    /// <remarks>The customer may have a note with the order.</remarks>",
        "/// <remarks>An order is open, packed or sent.</remarks>",
        "    public DateTimeOffset? Placed { get; init; }",
        "    public Uri? Link { get; init; }",
        "    public required decimal Total { get; init; }",
        "    public OrderStatus? Status { get; init; }",
        "public readonly record struct OrderStatus(string Value) : IOpenEnum",
        '    public static OrderStatus Packed { get; } = new("packed");',
        "    public required long? Closed { get; init; }",
        "    public ShippingAddress? Ship { get; init; }",
        "public class ShippingAddress",
        "// [SCHMITH:BEGIN OrderShip]",
        "public class BillingStreet",
        "    /// <summary>The level 0 is a normal order.</summary>\n    Normal = 0,",
        "    Rush = 1,",
    ):
        assert f"{line}\n" in code, line
    review = (tmp_path / "run" / "schema.md").read_text("utf-8")
    assert "- Primary key: `sku`" in review
    assert "personal data" in review
    assert "Which form does the day have?" in review


@pytest.mark.slow
def test_without_proposals_the_files_are_those_of_the_rules(tmp_path: Path):
    offline = retouch.open_model("offline", recipe=recipe)
    retouch.generate(recipe, order(tmp_path / "doc"), tmp_path / "meaning", offline)
    plain = order(tmp_path / "doc", options=replace(MEANING, ask="transcript"))
    retouch.generate(recipe, plain, tmp_path / "transcript", offline)
    for name in ("Order.cs", "schema.md"):
        assert (tmp_path / "transcript" / name).read_bytes() == (tmp_path / "meaning" / name).read_bytes()


def test_the_prompt_shows_what_the_document_says(tmp_path: Path):
    prompts = list(recipe.plan(order(tmp_path)))
    assert ["Order", "OrderLevel", "OrderShip", "OrderBill"] == [one.unit for one in prompts]
    assert '- "placed": string?; description: When the order was placed.; examples: "2024-05-01T10:00:00Z"' in (
        prompts[0].user
    )
    assert 'KEY CANDIDATES: "sku", "closed"' in prompts[0].user
    assert "NAME: WANTED" in prompts[2].user
