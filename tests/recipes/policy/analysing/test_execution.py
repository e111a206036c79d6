"""Which tools run code: names that say so do, and names that are surely about something else do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Policy
from retouch.recipes.policy.analysing.execution import executes_code

if TYPE_CHECKING:
    from retouch.recipes.policy.language.values import Tool


def tool(name: str, *arguments: str, **schemas: Any) -> Tool:
    properties = {one: {"type": "string"} for one in arguments} | schemas
    listed = {
        "toolName": name,
        "args": {one: ["none"] for one in properties},
        "inputSchema": {"properties": properties},
    }
    annotations = {"servers": {"s": {"tools": [listed]}}}
    value: Any = {"semantics": 3, "home": "/h", "rules": [], "servers": {}, "annotations": annotations}
    return Policy.of_json(value).tools["s", name]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", ["x"]),
        ("call", ["target"]),
        ("call_function", ["name", "arguments"]),
        ("call_customer_api", ["customer_id", "endpoint"]),
        ("call_contact_webhook", ["contact"]),
        ("schedule_call", ["function", "at"]),
        ("evaluate", ["code"]),
        ("submit", ["code"]),
        ("run_coupon_script", ["code"]),
        ("apply_discount", ["script"]),
        ("db_query", ["sql"]),
        ("execute_order", ["script"]),
        ("execute_order", ["order_body"]),
        ("execute", ["symbol"]),
        ("execute_trade_function", ["symbol"]),
        ("run_report", ["name"]),
        ("run_job", ["name", "image", "args"]),
        ("interact_with_process", ["pid", "input"]),
        ("start_node", ["entrypoint"]),
        ("node", ["script"]),
    ],
)
def test_a_tool_whose_name_says_so_runs_code(name: str, arguments: list[str]):
    assert executes_code(tool(name, *arguments))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("make_phone_call", ["phone_number"]),
        ("call_customer", ["customer_id"]),
        ("schedule_call", ["attendees", "time"]),
        ("call", ["phone_number"]),
        ("apply_discount_code", ["code"]),
        ("redeem_voucher", ["code"]),
        ("lookup_zip", ["code"]),
        ("generate_code", ["prompt"]),
        ("execute_trade", ["symbol", "quantity", "side"]),
        ("run_payroll", ["month"]),
        ("drain_node", ["name"]),
        ("node_management", ["operation", "nodeName"]),
        ("run_workflow", ["owner", "repo", "workflow_id", "ref", "inputs"]),
    ],
)
def test_a_call_by_telephone_a_trade_a_node_of_a_cluster_and_the_code_of_a_voucher_run_nothing(
    name: str, arguments: list[str]
):
    assert not executes_code(tool(name, *arguments))


def test_a_code_out_of_a_list_or_of_a_few_characters_is_no_program():
    assert not executes_code(tool("submit", code={"type": "string", "enum": ["A", "B"]}))
    assert not executes_code(tool("submit", code={"type": "string", "maxLength": 8}))
    assert executes_code(tool("submit", code={"type": "string", "maxLength": 100_000}))
