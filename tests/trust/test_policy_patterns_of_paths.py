"""Patterns of paths that are tested beside a permission: no rule for one is taken for one that never answers."""

from __future__ import annotations

from retouch.recipes.policy.english.compiling import compile_clauses
from tests.recipes.policy.english.listed_servers import listed_frame
from tests.recipes.policy.english.meanings import TEXT, told

CLUSTER = listed_frame(
    "cluster",
    {
        "apply": (
            "Apply a YAML manifest from a string or file",
            {"manifest?": told("YAML manifest to apply"), "filename?": told("Path to a YAML file to apply")},
        ),
        "uninstall_chart": ("Uninstall a chart", {"name": TEXT, "namespace": told("Namespace of the chart")}),
    },
)


def test_a_file_whose_path_has_the_name_is_forbidden_beside_a_permission() -> None:
    made = compile_clauses("Don't uninstall charts in the prod namespace.\n\nAllow using any tool of cluster.", CLUSTER)
    denied = {limit.arg for one in made.rules if one.then == "deny" for limit in one.when.where}
    assert {"manifest", "filename", "namespace"} <= denied
