"""A path of files whose contents are in the call is on no disk, unless the tool writes them to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from retouch.recipes.policy.annotating.proposing import ListedTool, propose_roles

if TYPE_CHECKING:
    from retouch._lib.json_text import JSON

TEXT: dict[str, JSON] = {"type": "string"}
FILES: dict[str, JSON] = {
    "type": "array",
    "items": {"type": "object", "properties": {"name": TEXT, "content": TEXT}},
}


@pytest.mark.parametrize(
    ("wanted", "name", "properties"),
    [
        (("none",), "deploy_edge_function", {"files": FILES, "entrypoint_path": TEXT}),
        (("write-path",), "write_files", {"files": FILES, "entrypoint_path": TEXT}),
        (("read-path", "write-path", "delete-path"), "deploy_site", {"entrypoint_path": TEXT}),
    ],
)
def test_a_path_of_deployed_files_is_on_no_disk(
    wanted: tuple[str, ...], name: str, properties: dict[str, JSON]
) -> None:
    schema: dict[str, JSON] = {"type": "object", "properties": properties}
    proposed = propose_roles("base", ListedTool(name=name, description="", schema=schema, hints={}))
    assert wanted == proposed["entrypoint_path"].roles
