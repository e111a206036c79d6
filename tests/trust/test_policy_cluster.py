"""What is forbidden in a namespace of a cluster is forbidden to a free command, a manifest and flags, too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import FLAG, TEXT, frame_of

if TYPE_CHECKING:
    from retouch.recipes.policy import Policy

PLACE: dict[str, Any] = {"resourceType": TEXT, "name": TEXT, "namespace": TEXT}
TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "kubectl_get": ("Get resources", PLACE),
    "kubectl_delete": (
        "Delete resources",
        {**PLACE, "allNamespaces": FLAG, "manifest": TEXT, "force": FLAG},
    ),
    "kubectl_generic": (
        "Execute any kubectl command",
        {**PLACE, "command": TEXT, "subCommand": TEXT, "args": {"type": "array"}, "flags": {"type": "object"}},
    ),
    "exec_in_pod": ("Execute a command in a pod", {"name": TEXT, "command": {"type": "array"}}),
    "node_management": ("Manage nodes", {"operation": {"enum": ["cordon", "drain"], "type": "string"}}),
}


def _cluster(tools: dict[str, tuple[str, dict[str, Any]]]) -> Policy:
    required: dict[str, tuple[str, ...]] = dict.fromkeys(tools, ())
    return frame_of("k", tools, required=required, roles={"command": "executes-code"})


def _decided(text: str, tool: str, tools: dict[str, tuple[str, dict[str, Any]]] = TOOLS, **arguments: Any) -> str:
    frame = _cluster(tools)
    found = compile_clauses(f"{text}\n\nAllow using any tool of k.", frame)
    assert not found.refused, found.refused
    call = ToolCall(server="k", tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=found.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(
    ("tool", "arguments", "decision"),
    [
        ("kubectl_delete", {"resourceType": "pod", "name": "x", "namespace": "production"}, "deny"),
        ("kubectl_delete", {"resourceType": "pod", "name": "x", "namespace": "staging"}, "allow"),
        ("kubectl_delete", {"resourceType": "pod", "namespace": "staging", "allNamespaces": True}, "deny"),
        ("kubectl_delete", {"resourceType": "namespace", "name": "production"}, "deny"),
        ("kubectl_delete", {"manifest": "kind: Pod", "namespace": "staging"}, "deny"),
        ("kubectl_generic", {"command": "delete", "resourceType": "pod", "namespace": "production"}, "deny"),
        ("kubectl_generic", {"command": "delete", "args": ["-n", "production"], "namespace": "staging"}, "deny"),
        ("kubectl_generic", {"command": "delete", "flags": {"n": "production"}, "namespace": "staging"}, "deny"),
        ("kubectl_generic", {"command": "delete", "name": "-nproduction", "namespace": "staging"}, "deny"),
        ("kubectl_generic", {"command": "top", "resourceType": "pods", "namespace": "production"}, "allow"),
        ("kubectl_get", {"resourceType": "pods", "namespace": "production"}, "allow"),
        ("exec_in_pod", {"name": "x", "command": ["kubectl", "delete", "pod"]}, "deny"),
        ("node_management", {"operation": "drain"}, "deny"),
    ],
)
def test_a_namespace_is_named_in_many_ways(tool: str, arguments: dict[str, Any], decision: str) -> None:
    assert decision == _decided("Please never delete anything in the production namespace.", tool, **arguments)


def test_a_command_in_a_pod_is_also_one_of_the_free_command() -> None:
    text = "Please don't run commands inside pods unless I have agreed to it first."
    assert _decided(text, "kubectl_generic", command="exec", name="x") == "escalate"
    assert _decided(text, "kubectl_generic", command="debug", name="x") == "escalate"
    assert _decided(text, "kubectl_generic", command="top", resourceType="pods") == "allow"
    assert _decided(text, "kubectl_delete", resourceType="pod", name="x") == "allow"


def test_a_tool_of_which_it_is_not_known_what_it_does_may_do_it() -> None:
    frame = _cluster({**TOOLS, "cleanup": ("Clean up all managed resources", {})})
    found = compile_clauses("Never delete anything in the production namespace.", frame)
    assert found.refused


RESTARTING = {
    **TOOLS,
    "kubectl_patch": ("Patch a resource", {**PLACE, "patchData": {"type": "object"}}),
    "kubectl_rollout": ("Manage a rollout", {**PLACE, "subCommand": {"enum": ["restart", "undo", "status"]}}),
}
AGAIN = {"spec": {"template": {"metadata": {"annotations": {"kubectl.kubernetes.io/restartedAt": "2026-03-04"}}}}}


@pytest.mark.parametrize(
    ("tool", "arguments", "decision"),
    [
        ("kubectl_rollout", {"subCommand": "restart", "resourceType": "deployment", "name": "web"}, "escalate"),
        ("kubectl_rollout", {"subCommand": "status", "resourceType": "deployment", "name": "web"}, "allow"),
        ("kubectl_patch", {"resourceType": "deployment", "name": "web", "patchData": AGAIN}, "escalate"),
        (
            "kubectl_patch",
            {"resourceType": "deployment", "name": "web", "patchData": {"spec": {"replicas": 3}}},
            "allow",
        ),
        ("kubectl_delete", {"resourceType": "pod", "name": "web-1"}, "escalate"),
        ("kubectl_delete", {"resourceType": "Pods", "name": "web-1"}, "escalate"),
        ("kubectl_delete", {"resourceType": "configmap", "name": "web"}, "allow"),
    ],
)
def test_a_patch_of_the_pods_or_their_deletion_restarts_what_they_belong_to(
    tool: str, arguments: dict[str, Any], decision: str
) -> None:
    assert decision == _decided("Ask before restarting a deployment.", tool, RESTARTING, **arguments)
