"""The example of `retouch demo`: an endpoint of a shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from retouch.commands import RecipeDemo
from retouch.recipes.csharp.document.document import load_document
from retouch.recipes.csharp.reading.endpoint import read_endpoint

if TYPE_CHECKING:
    from pathlib import Path

_DOCUMENT = """\
openapi: 3.0.3
info: { title: Shop, version: "1" }
paths:
  /orders/{id}:
    get:
      responses:
        "200":
          description: One order
          content:
            application/json:
              schema: { $ref: "#/components/schemas/Order" }
components:
  schemas:
    Order:
      type: object
      required: [id, status, lines]
      properties:
        id: { type: string, format: uuid, description: The number on the invoice. }
        status: { $ref: "#/components/schemas/Status" }
        lines: { type: array, items: { $ref: "#/components/schemas/OrderLine" } }
        customer: { $ref: "#/components/schemas/Customer" }
        placed-at: { type: string, format: date-time }
        discount: { type: number, nullable: true }
    OrderLine:
      type: object
      required: [sku, quantity]
      properties:
        sku: { type: string }
        quantity: { type: integer }
        price: { $ref: "#/components/schemas/Money" }
        gift: { type: boolean }
    Customer:
      type: object
      properties:
        name: { type: string }
        e-mail: { type: string }
        addresses: { type: array, items: { $ref: "#/components/schemas/Address" } }
    Address:
      type: object
      properties:
        street: { type: string }
        city: { type: string }
        country: { type: string, minLength: 2, maxLength: 2 }
    Money:
      type: object
      required: [amount, currency]
      properties:
        amount: { type: string }
        currency: { type: string, enum: [EUR, USD, CHF] }
    Status:
      type: string
      enum: [new, paid, shipped, returned]
"""


def demo(folder: Path) -> RecipeDemo:
    """Return the C# types of one endpoint of an OpenAPI document that is written into `folder`."""
    place = folder / "shop.yaml"
    place.write_text(_DOCUMENT, encoding="utf-8")
    return RecipeDemo(
        source=read_endpoint(load_document(place), "GET /orders/{id}"),
        about="an OpenAPI document -> C# types",
        try_it=f"retouch generate csharp {place} 'GET /orders/{{id}}' --model anthropic:claude-haiku-4-5",
    )
