"""A restriction reaches the tools for things of any kind, for all at once and in steps; a permission stays narrow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.meanings import FLAG, NUMBER, TEXT, frame_of, told

if TYPE_CHECKING:
    from collections.abc import Mapping

LISTED: dict[str, Any] = {"type": "array", "items": TEXT}
PLACE = told("Namespace")


def _one_of(*values: str) -> dict[str, Any]:
    return {**TEXT, "enum": list(values)}


CLUSTER = frame_of(
    "fleet",
    {
        "scale_deployment": ("Scale a deployment", {"name": TEXT, "namespace": PLACE, "replicas": NUMBER}),
        "scale_resource": ("Scale a resource", {"kind": TEXT, "name": TEXT, "namespace": PLACE, "scale": NUMBER}),
        "delete_pod": ("Delete a pod", {"name": TEXT, "namespace": PLACE}),
        "delete_resource": ("Delete a resource", {"kind": TEXT, "name": TEXT, "namespace": PLACE}),
        "apply_yaml": ("Apply YAML manifests", {"yaml": TEXT}),
        "set_autoscaling": ("Set the autoscaler of a deployment", {"name": TEXT, "namespace": PLACE, "limit": NUMBER}),
    },
)
ROLLS = frame_of(
    "rolls",
    {
        "restart": (
            "Restart a workload",
            {"resourceType": told("Type: deployment, statefulset, daemonset"), "name": TEXT, "namespace": PLACE},
        ),
        "list_all": ("List pods", {"namespace": PLACE, "allNamespaces": FLAG}),
    },
    required={"restart": ["name"], "list_all": []},
)
HOUSE = frame_of(
    "house",
    {
        "unlock_door": ("Unlock a door", {"door": _one_of("front", "back")}),
        "unlock_all": ("Unlock all doors", {}),
        "set_lock_state": ("Lock or unlock a lock", {"lock": TEXT, "state": _one_of("locked", "unlocked")}),
        "set_volume": ("Set the volume of a speaker", {"speaker": TEXT, "volume": told("Volume in percent", NUMBER)}),
        "volume_up": ("Raise the volume of a speaker by a step", {"speaker": TEXT}),
        "start_vacuum": ("Start the vacuum", {"room": TEXT}),
        "clean_rooms": ("Clean rooms with the vacuum", {"rooms": LISTED}),
    },
)
COVERS = frame_of(
    "covers",
    {
        "cover_control": (
            "Control covers such as blinds, curtains and garage doors",
            {"action": _one_of("open", "close", "stop", "set_position"), "entity_id": TEXT, "position": NUMBER},
        ),
        "climate_control": (
            "Control the heating",
            {"action": _one_of("set_temperature", "turn_off"), "hvac_mode": _one_of("off", "heat"), "entity_id": TEXT},
        ),
    },
    required={"cover_control": ["action", "entity_id"], "climate_control": ["action", "entity_id"]},
)
PATH = told("Path of the file")
CODE = frame_of(
    "code",
    {
        "write_file": ("Write a file of a repository", {"owner": TEXT, "repo": TEXT, "path": PATH, "message": TEXT}),
        "move_path": ("Move a file or folder of a repository", {"owner": TEXT, "repo": TEXT, "from": PATH, "to": PATH}),
        "issue_write": (
            "Create or update an issue",
            {"repo": TEXT, "method": _one_of("create", "update"), "title": TEXT, "state": _one_of("open", "closed")},
        ),
    },
    roles={"owner": "github-owner", "repo": "github-repo"},
)
FRAMES: Mapping[str, Policy] = {"fleet": CLUSTER, "rolls": ROLLS, "house": HOUSE, "covers": COVERS, "code": CODE}
YAML = "kind: Pod\nmetadata:\n  name: web\n  namespace: billing\n"
RESTRICTED: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("fleet", "Never scale a deployment above 8 replicas.", "scale_resource",
     {"kind": "Deployment", "name": "a", "namespace": "b", "scale": 9}),
    ("fleet", "Scaling a deployment needs my approval.", "scale_resource",
     {"kind": "Deployment", "name": "a", "namespace": "b", "scale": 2}),
    ("fleet", "Pods must never be deleted.", "delete_resource", {"kind": "Pod", "name": "a", "namespace": "b"}),
    ("fleet", "Never change anything in the billing namespace.", "apply_yaml", {"yaml": YAML}),
    ("fleet", "Nothing in the billing namespace may be deleted.", "delete_resource",
     {"kind": "Namespace", "name": "billing", "namespace": "default"}),
    ("house", "Don't ever unlock the back door.", "unlock_all", {}),
    ("house", "Don't ever unlock the back door.", "set_lock_state", {"lock": "back", "state": "unlocked"}),
    ("house", "The volume must never go above 60.", "volume_up", {"speaker": "a"}),
    ("house", "Never set the volume above 60.", "volume_up", {"speaker": "a"}),
    ("house", "Never start the vacuum at night.", "clean_rooms", {"rooms": ["hall"]}),
    ("house", "Ask me before you start the vacuum.", "clean_rooms", {"rooms": ["hall"]}),
    ("covers", "Never open the curtains.", "cover_control",
     {"action": "set_position", "entity_id": "cover.curtain", "position": 90}),
    ("code", "Nothing under deploy/ may be changed.", "move_path",
     {"owner": "a", "repo": "b", "from": "deploy/a.yml", "to": "a.yml"}),
    ("code", "Never open issues.", "issue_write", {"repo": "b", "method": "create", "title": "x", "state": "closed"}),
)  # fmt: skip
NOT_PERMITTED: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("fleet", "You may update deployments in dev.", "set_autoscaling", {"name": "a", "namespace": "dev", "limit": 9}),
    ("rolls", "You may restart deployments in the dev namespace.", "restart",
     {"resourceType": "statefulset", "name": "a", "namespace": "dev"}),
    ("rolls", "You may list pods in the dev namespace.", "list_all", {"namespace": "dev", "allNamespaces": True}),
    ("covers", "You may open and close the curtains.", "cover_control",
     {"action": "open", "entity_id": "cover.garage_door"}),
    ("covers", "You may turn the heating off.", "climate_control",
     {"action": "set_temperature", "hvac_mode": "off", "entity_id": "a"}),
)  # fmt: skip


def _decided(server: str, text: str, tool: str, arguments: dict[str, Any]) -> str:
    frame = FRAMES[server]
    made = compile_clauses(text, frame)
    if made.refused:
        return "refused"
    call = ToolCall(server=server, tool=tool, arguments=arguments)
    return evaluate(replace(frame, rules=made.rules), call, surroundings=LEXICAL).decision


@pytest.mark.parametrize(("server", "text", "tool", "arguments"), RESTRICTED)
def test_a_restriction_reaches_the_tools_beside_it(
    server: str, text: str, tool: str, arguments: dict[str, Any]
) -> None:
    whole = f"{text}\n\nAllow using any tool of {server}."
    assert _decided(server, whole, tool, arguments) in {"deny", "escalate", "refused"}


@pytest.mark.parametrize(("server", "text", "tool", "arguments"), NOT_PERMITTED)
def test_a_permission_reaches_no_further_than_it_says(
    server: str, text: str, tool: str, arguments: dict[str, Any]
) -> None:
    assert _decided(server, text, tool, arguments) in {"deny", "refused"}


@pytest.mark.parametrize(
    "text", ["Never move anything into or out of ~/Scans.", "Never move files from or to ~/Scans."]
)
def test_two_directions_are_not_read_as_one(text: str) -> None:
    frame = frame_of("disk", {"move_file": ("Move a file.", {"source": PATH, "destination": PATH})})
    assert compile_clauses(text, frame).refused
