"""Roles of arguments are proposed from names and schemas. What a server claims can only add roles."""

from __future__ import annotations

import json
import os
import shlex
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from click.testing import CliRunner

from retouch.cli.root import command
from retouch.errors import BadInput
from retouch.recipes.policy import Policy
from retouch.recipes.policy.annotating.proposing import ListedTool, annotations_of, propose_roles
from retouch.recipes.policy.annotating.servers import tools_of_address, tools_of_command
from retouch.recipes.policy.annotating.sources import tools_of_file
from retouch.recipes.policy.deciding.json_schema import violations

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTES_SERVER = Path(__file__).parents[1] / "guard" / "notes_server.py"
TEXT = {"type": "string"}


def listed(name: str, *arguments: str, **hints: Any) -> ListedTool:
    schema: dict[str, Any] = {"type": "object", "properties": dict.fromkeys(arguments, TEXT)}
    return ListedTool(name=name, description="", schema=schema, hints=hints)


def roles(server: str, tool: ListedTool) -> dict[str, tuple[str, ...]]:
    return {name: one.roles for name, one in propose_roles(server, tool).items()}


@pytest.mark.parametrize(
    ("server", "tool", "expected"),
    [
        ("filesystem", listed("read_file", "path"), {"path": ("read-path",)}),
        ("filesystem", listed("move_file", "source", "destination"), {
            "source": ("read-path", "delete-path"), "destination": ("write-path",)}),
        ("filesystem", listed("frobnicate", "path"), {"path": ("read-path", "write-path", "delete-path")}),
        ("drive", listed("share_file", "file"), {"file": ("read-path",)}),
        ("drive", listed("remove_permission", "file"), {"file": ("write-path",)}),
        ("drive", listed("remove_file", "file"), {"file": ("delete-path",)}),
        ("git", listed("git_push", "repo_path", "remote", "branch"), {
            "repo_path": ("read-path",), "remote": ("git-remote-url",), "branch": ("branch-name",)}),
        ("shell", listed("bash", "command"), {"command": ("executes-code",)}),
        ("db", listed("query", "sql"), {"sql": ("executes-code",)}),
        ("mail", listed("send_email", "to", "cc", "body"), {
            "to": ("email-address",), "cc": ("email-address",), "body": ("email-body",)}),
        ("web", listed("download", "url", "path"), {"url": ("fetch-url",), "path": ("write-path",)}),
        ("gitlab", listed("push_files", "project_id", "branch", "files"), {
            "project_id": ("none",), "branch": ("branch-name",), "files": ("none",)}),
        ("github", listed("get_file", "owner", "repo", "path"), {
            "owner": ("github-owner",), "repo": ("github-repo",), "path": ("none",)}),
    ],
)  # fmt: skip
def test_roles_follow_from_names(server: str, tool: ListedTool, expected: dict[str, tuple[str, ...]]):
    assert expected == roles(server, tool)


@pytest.mark.parametrize(
    ("told", "expected"),
    [("Account that receives the money", ("none",)), ("", ("write-path",)), ("Card or file", ("write-path",))],
)
def test_a_destination_that_is_an_account_is_no_path(told: str, expected: tuple[str, ...]):
    schema: dict[str, Any] = {"type": "object", "properties": {"destination": {**TEXT, "description": told}}}
    tool = ListedTool(name="create_payout", description="Pay money out.", schema=schema, hints={})
    assert expected == roles("bank", tool)["destination"]


@pytest.mark.parametrize(
    ("tool", "told", "expected"),
    [
        ("search_messages", "Only search this folder", ("none",)),
        ("move_message", "Name of the target folder", ("none",)),
        ("delete_dashboard", "", ("none",)),
        ("move_message", "Directory of the maildir", ("read-path", "write-path", "delete-path")),
        ("search_messages", "For example /var/mail", ("read-path",)),
        ("export_messages", "Where they go", ("write-path",)),
        ("move_report", "Name of the target folder", ("read-path", "write-path", "delete-path")),
    ],
)
def test_a_folder_of_a_mailbox_is_no_path_unless_something_speaks_of_a_disk(
    tool: str, told: str, expected: tuple[str, ...]
):
    schema: dict[str, Any] = {"type": "object", "properties": {"folder": {**TEXT, "description": told}}}
    found = propose_roles("office", ListedTool(name=tool, description="", schema=schema, hints={}))["folder"]
    assert (expected, expected != ("none",)) == (found.roles, found.sure)


@pytest.mark.parametrize(
    ("told", "sure"),
    [
        ("Path of the note, e.g. Work/Plan.md", False),
        ("Path relative to the vault", False),
        ("A file such as 'notes.txt'", False),
        ("Absolute path, for example /home/ada/a.md", True),
        ("Path of the note", True),
        ("", True),
    ],
)
def test_a_relative_path_is_to_look_at_because_its_calls_are_denied_without_a_working_directory(told: str, sure: bool):
    schema: dict[str, Any] = {"properties": {"path": {**TEXT, "description": told}}}
    found = propose_roles("vault", ListedTool(name="read_note", description="", schema=schema, hints={}))["path"]
    assert (("read-path",), sure) == (found.roles, found.sure)
    assert sure == ("workingDirectory" not in found.why)


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("gs:// address", ("none", False)),
        ("Target, for example s3://bucket/key", ("none", False)),
        ("gs:// or https:// address", ("fetch-url", True)),
        ("Address", ("fetch-url", True)),
    ],
)
def test_the_address_of_an_object_store_is_no_page(told: str, expected: tuple[str, bool]):
    schema: dict[str, Any] = {"properties": {"destination_uri": {**TEXT, "description": told}}}
    found = propose_roles("lake", ListedTool(name="export_table", description="", schema=schema, hints={}))
    assert expected == (found["destination_uri"].roles[0], found["destination_uri"].sure)


@pytest.mark.parametrize(("tool", "role"), [("save_draft", "read-path"), ("save_attachments", "write-path")])
def test_what_is_attached_is_read(tool: str, role: str):
    schema: dict[str, Any] = {"properties": {"attachments": {**TEXT, "description": "Absolute paths of files"}}}
    found = propose_roles("mail", ListedTool(name=tool, description="", schema=schema, hints={}))
    assert (role,) == found["attachments"].roles


@pytest.mark.parametrize(
    ("tool", "argument", "told", "role"),
    [
        ("send_email", "attachments", "List of file paths to attach to the email", "read-path"),
        ("send_email", "attachments", "IDs of attachments", "none"),
        ("read_archives", "input_paths", "", "read-path"),
        ("interact_with_process", "input", "Text for the standard input", "executes-code"),
        ("apply_migration", "query", "The SQL query to apply", "executes-code"),
        ("search_notes", "query", "The words to search for", "none"),
    ],
)
def test_paths_of_files_that_are_sent_and_what_a_program_is_told_have_roles(
    tool: str, argument: str, told: str, role: str
):
    schema: dict[str, Any] = {"properties": {argument: {**TEXT, "description": told}}}
    found = propose_roles("any", ListedTool(name=tool, description="", schema=schema, hints={}))
    assert (role,) == found[argument].roles


def test_a_claim_of_the_server_never_removes_a_role():
    assert ("delete-path",) == roles("files", listed("delete_file", "path", readOnlyHint=True))["path"]
    assert ("write-path",) == roles("files", listed("write_file", "path", readOnlyHint=True))["path"]
    assert ("executes-code",) == roles("files", listed("bash", "command", readOnlyHint=True))["command"]
    changing = propose_roles("files", listed("get_file", "path", readOnlyHint=False))["path"]
    assert (("read-path", "write-path"), False) == (changing.roles, changing.sure)
    destroying = roles("files", listed("get_file", "path", destructiveHint=True))["path"]
    assert ("read-path", "delete-path") == destroying


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["integer", "null"]}, ("none",)),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, ("none",)),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, ("read-path",)),
        ({"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]}, ("fetch-url",)),
        ({"type": [["integer"]], "format": {"email": 1}, "anyOf": 3}, ("read-path",)),
    ],
)
def test_types_and_formats_may_be_lists_alternatives_or_nonsense(schema: dict[str, Any], expected: tuple[str, ...]):
    arguments: dict[str, Any] = {"type": "object", "properties": {"path": schema}}
    tool = ListedTool(name="read_file", description="", schema=arguments, hints={})
    assert {"path": expected} == roles("filesystem", tool)


def test_an_unknown_verb_may_do_anything_with_a_path_and_is_marked():
    found = annotations_of("files", (listed("frobnicate", "path"),))
    tools: Any = found["servers"]
    assert ["path"] == tools["files"]["tools"][0]["x-look-at"]


@pytest.mark.parametrize(
    ("tool", "argument", "told", "expected"),
    [
        ("browser_find", "filename", "Save results to a file instead of returning them.", ("read-path", "write-path")),
        ("get_report", "output_path", "", ("read-path", "write-path")),
        ("list_logs", "directory", "Old logs in it are deleted.", ("read-path", "delete-path")),
        ("find_notes", "directory", "Where the notes are.", ("read-path",)),
        ("write_note", "path", "The file to write.", ("write-path",)),
    ],
)
def test_a_path_of_a_tool_that_reads_may_be_written_if_its_name_or_description_says_so(
    tool: str, argument: str, told: str, expected: tuple[str, ...]
):
    schema: dict[str, Any] = {"type": "object", "properties": {argument: {"type": "string", "description": told}}}
    found = propose_roles("web", ListedTool(name=tool, description="", schema=schema, hints={}))[argument]
    assert (expected, len(expected) == 1) == (found.roles, found.sure)


@pytest.mark.parametrize(
    ("tool", "told", "expected"),
    [
        ("take_screenshot", "File name to save the screenshot to.", "file-name"),
        ("download_attachment", "File name to save as", "file-name"),
        ("download_attachment", "Name to save it under", "file-name"),
        ("download_attachment", "File name, relative to the folder", "write-path"),
        ("download_attachment", "Absolute path and filename", "write-path"),
        ("read_file", "The file name", "read-path"),
    ],
)
def test_a_file_name_is_no_path_if_a_tool_saves_it_where_it_likes(tool: str, told: str, expected: str):
    properties: dict[str, Any] = {"filename": {"type": "string", "description": told}}
    listed_tool = ListedTool(name=tool, description="", schema={"type": "object", "properties": properties}, hints={})
    assert expected in propose_roles("web", listed_tool)["filename"].roles


def test_a_glob_pattern_beside_a_path_is_to_look_at():
    found = propose_roles("claude", listed("Glob", "pattern", "path"))
    assert {"pattern": (("none",), False), "path": (("read-path",), True)} == {
        name: (one.roles, one.sure) for name, one in found.items()
    }


def test_annotations_are_read_by_a_policy():
    found: Any = annotations_of("files", (listed("read_file", "path"), listed("write_file", "path", "content")))
    policy = Policy.of_json({"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "annotations": found})
    assert [("files", "read_file"), ("files", "write_file")] == list(policy.tools)


def test_tools_of_a_list_an_openapi_document_and_a_module(tmp_path: Path):
    tools = {"tools": [{"name": "read_file", "inputSchema": {"properties": {"path": TEXT}}}]}
    (tmp_path / "list.json").write_text(json.dumps({"jsonrpc": "2.0", "id": 1, "result": tools}), encoding="utf-8")
    assert ["read_file"] == [one.name for one in tools_of_file(tmp_path / "list.json")]
    (tmp_path / "api.yaml").write_text(
        "openapi: 3.0.0\npaths:\n  /pets/{id}:\n    delete:\n      operationId: deletePet\n      parameters:\n"
        "        - {name: id, in: path, schema: {type: string}}\n",
        encoding="utf-8",
    )
    (pet,) = tools_of_file(tmp_path / "api.yaml")
    assert ("deletePet", {"id": TEXT}) == (pet.name, pet.schema["properties"])
    code = 'raise SystemExit("executed")\ndef read_file(path: str) -> str:\n    "Read."\ndef _own(path): ...\n'
    (tmp_path / "tools.py").write_text(code, encoding="utf-8")
    (tool,) = tools_of_file(tmp_path / "tools.py")
    assert ["path"] == tool.schema["required"]
    assert ("read_file", "Read.", {"path": TEXT}) == (tool.name, tool.description, tool.schema["properties"])


def test_arguments_that_a_call_must_have_are_read_from_an_openapi_document(tmp_path: Path):
    base: Any = {"required": ["to"], "properties": {"to": {"$ref": "#/components/schemas/Place"}}}
    body: Any = {"allOf": [{"$ref": "#/components/schemas/Base"}, {"properties": {"note": TEXT}, "required": ["gone"]}]}
    parameters: Any = [
        {"name": "id", "in": "path", "schema": TEXT},
        {"name": "fast", "in": "query", "required": True},
        {"name": "page", "in": "query", "schema": {"type": "integer"}},
    ]
    document: Any = {"openapi": "3.0.0", "components": {"schemas": {"Base": base, "Place": {"enum": ["a", "b"]}}}}
    for needed in (True, False):
        asked = {"required": needed, "content": {"application/json": {"schema": body}}}
        document["paths"] = {"/parcels/{id}": {"post": {"parameters": parameters, "requestBody": asked}}}
        (tmp_path / "api.json").write_text(json.dumps(document), encoding="utf-8")
        (tool,) = tools_of_file(tmp_path / "api.json")
        assert ["id", "fast", *(["to"] if needed else [])] == tool.schema["required"]
        properties: Any = tool.schema["properties"]
        assert {"id", "fast", "page", "to", "note"} == set(properties)
        policy = Policy.of_json({"semantics": 3, "rules": [], "annotations": annotations_of("post", (tool,))})
        schema: Any = next(iter(policy.tools.values())).input_schema
        assert [] == violations(schema, {"id": "1", "fast": "y", "to": "a"})
        assert violations(schema, {"id": "1", "fast": "y", "to": "c"})


def test_a_schema_that_contains_itself_is_cut_off(tmp_path: Path):
    node: Any = {"properties": {"next": {"$ref": "#/components/schemas/Node"}}}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}}
    document: Any = {"openapi": "3.0.0", "paths": {"/x": {"post": {"requestBody": body}}}}
    document["components"] = {"schemas": {"Node": node, "Loop": {"$ref": "#/components/schemas/Loop"}}}
    (tmp_path / "api.json").write_text(json.dumps(document), encoding="utf-8")
    (tool,) = tools_of_file(tmp_path / "api.json")
    assert "$ref" not in json.dumps(tool.schema)


@pytest.mark.parametrize("text", ["[]", "{}", "nonsense", '{"tools": [{}]}', '[{"name": "a"}, {"name": "a"}]'])
def test_a_file_without_tools_is_refused(tmp_path: Path, text: str):
    (tmp_path / "list.json").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput):
        tools_of_file(tmp_path / "list.json")


def test_a_server_over_stdio_is_asked_for_its_tools(tmp_path: Path):
    pytest.importorskip("mcp")
    name, tools = tools_of_command([sys.executable, str(NOTES_SERVER), str(tmp_path), str(tmp_path / "seen")])
    assert ("notes", {"read_file", "write_file", "delete_file", "bash"}) == (name, {one.name for one in tools})
    with pytest.raises(BadInput, match="cannot start"):
        tools_of_command(["/no/such/program"])
    with pytest.raises(BadInput, match="ended"):
        tools_of_command([sys.executable, "-c", "pass"])


class _Server(BaseHTTPRequestHandler):
    """An MCP server over HTTP at /mcp/ that lists one tool, as an event stream. Each answer comes after a question."""

    ended: ClassVar[list[str | None]] = []

    def do_DELETE(self) -> None:
        self.ended.append(self.headers["Mcp-Session-Id"])
        self.send_response(204)
        self.end_headers()

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/mcp":
            self.send_response(307)
            self.send_header("Location", "/mcp/")
            self.end_headers()
            return
        result: dict[str, Any] = {"serverInfo": {"name": "web"}}
        if asked["method"] == "tools/list":
            result = {"tools": [{"name": "fetch", "inputSchema": {"properties": {"url": TEXT}}}]}
        question = {"jsonrpc": "2.0", "id": asked.get("id"), "method": "ping"}
        answer = {"jsonrpc": "2.0", "id": asked.get("id"), "result": result}
        body = "".join(f"event: message\ndata: {json.dumps(one)}\n\n" for one in (question, answer))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Mcp-Session-Id", "one")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's word
        """Print nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _Server)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/mcp"
    server.shutdown()
    server.server_close()


def test_a_server_over_http_is_asked_for_its_tools(address: str):
    name, tools = tools_of_address(address)
    assert ("web", ["fetch"]) == (name, [one.name for one in tools])
    assert ["one"] == _Server.ended


def test_a_server_that_prints_its_log_is_asked_for_its_tools():
    program = """
import json, sys
print("starting")
for line in sys.stdin:
    asked = json.loads(line)
    result = {"tools": [{"name": "fetch"}], "serverInfo": {"name": "web"}}
    if "id" in asked:
        print(json.dumps({"id": asked["id"], "method": "roots/list"}))
        print(json.dumps({"id": asked["id"], "result": result}), flush=True)
"""
    name, tools = tools_of_command([sys.executable, "-c", program])
    assert ("web", ["fetch"]) == (name, [one.name for one in tools])


def test_a_code_that_is_given_to_people_is_no_program():
    assert ("none",) == roles("shop", listed("create_discount", "code", "percent"))["code"]
    assert ("none",) == roles("shop", listed("search_cities", "country_code"))["country_code"]
    assert ("executes-code",) == roles("py", listed("run_python", "code"))["code"]


@pytest.mark.parametrize(
    ("tool", "name", "schema", "expected", "sure"),
    [
        ("open_bay", "bayCode", {}, "none", True),
        ("find_city", "postal_code", {}, "none", True),
        ("report", "error_code", {}, "none", True),
        ("run_query", "error_code", {}, "none", True),
        ("open_thing", "wobble_code", {}, "none", False),
        ("open_thing", "wobble_codes", {}, "none", False),
        ("run_python", "wobble_code", {}, "executes-code", True),
        ("run_python", "wobble_code", {"maxLength": 8}, "none", False),
        ("open_thing", "wobble_code", {"description": "Python code that is executed"}, "executes-code", True),
        ("open_thing", "python_code", {}, "executes-code", True),
        ("open_thing", "code_text", {}, "executes-code", True),
        ("open_thing", "code_type", {}, "none", True),
        ("open_thing", "code_path", {}, "read-path", False),
        ("open_thing", "code", {}, "executes-code", True),
    ],
)
def test_a_code_is_a_program_if_its_tool_or_its_description_says_so(
    tool: str, name: str, schema: dict[str, Any], expected: str, *, sure: bool
):
    """Otherwise it is taken for a number or a name, and shown to the user if its kind is unknown."""
    given = ListedTool(name=tool, description="", schema={"properties": {name: {**TEXT, **schema}}}, hints={})
    found = propose_roles("any", given)[name]
    assert (expected, sure) == (found.roles[0], found.sure), found.why


def test_a_description_that_names_an_absolute_path_makes_an_argument_a_path():
    schema: Any = {"properties": {"save_to": {"type": "string", "description": "Absolute path to save to"}}}
    tool = ListedTool(name="download_file", description="", schema=schema, hints={})
    assert ("write-path",) == roles("web", tool)["save_to"]


def test_the_command_writes_annotations_and_names_what_to_look_at(tmp_path: Path):
    tools = [{"name": "frobnicate", "inputSchema": {"properties": {"path": TEXT}}}]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    out = tmp_path / "annotations.json"
    words = ["policy", "annotate", str(tmp_path / "tools.json"), "--server", "files", "-o", str(out)]
    done = CliRunner().invoke(command, words)
    assert 0 == done.exit_code
    assert "look at this: 'path' is a path, and 'frobnicate' may do anything with it" in done.stdout
    assert ["files"] == list(json.loads(out.read_text(encoding="utf-8"))["servers"])


def test_only_a_command_after_two_dashes_is_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("mcp")
    program = tmp_path / "bin" / "notes-server"
    program.parent.mkdir()
    line = shlex.join([sys.executable, str(NOTES_SERVER), str(tmp_path), str(tmp_path / "seen")])
    program.write_text(f"#!/bin/sh\nexec {line}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    done = CliRunner().invoke(command, ["policy", "annotate", "--json", "--", "notes-server"])
    assert (0, ["notes"]) == (done.exit_code, list(json.loads(done.stdout)["servers"]))
    (tmp_path / "seen").unlink(missing_ok=True)
    for words in (["notes-server"], ["notes-server", "x"]):
        done = CliRunner().invoke(command, ["policy", "annotate", *words])
        assert (2, True) == (done.exit_code, "For a command write: -- COMMAND ARGS" in done.output)
    done = CliRunner().invoke(command, ["policy", "annotate", "--", "notes-servr"])
    assert (2, True) == (done.exit_code, "cannot start 'notes-servr'" in done.output)
