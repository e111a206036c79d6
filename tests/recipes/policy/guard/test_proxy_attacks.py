"""Attacks on the MCP proxy, by a client and by a server that is written to misbehave."""

from __future__ import annotations

import json
import os
import select
import sys
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from retouch.policy import Guard, Policy
from retouch.recipes.policy.guard.proxy import MAX_CALLS, Proxy, ProxyOptions
from tests.waiting import MOST_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

# It writes down every line that it gets. A request with "say" gets these lines, with the request's id for "ID"; any
# other request gets an empty result.
SERVER = """
import json, sys
say = json.loads(sys.argv[2])
for line in sys.stdin.buffer:
    with open(sys.argv[1], "ab") as file:
        file.write(line)
    message = json.loads(line)
    if "id" in message and "method" in message:
        for one in say.get(message["method"]) or ['{"jsonrpc":"2.0","id":ID,"result":{}}']:
            sys.stdout.write(one.replace("ID", json.dumps(message["id"])) + "\\n")
            sys.stdout.flush()
"""
TOOLS: list[Any] = [
    {"toolName": "read_file", "args": {"path": ["read-path"]}},
    {"toolName": "write_file", "args": {"path": ["write-path"]}},
]
RULES: list[Any] = [
    {"name": "read", "if": {"paths": {"roles": ["read-path"], "within": "/notes"}}, "then": "allow"},
    {"name": "write", "if": {"paths": {"roles": ["write-path"], "within": "/notes"}}, "then": "escalate"},
]


class Line:
    """A client's connection to a proxy in this process, and what reached the server behind it."""

    def __init__(self, root: Path, say: dict[str, list[str]], **options: Any) -> None:
        value: Any = {"semantics": 2, "home": "/home/ada", "rules": RULES, "servers": {}}
        value["annotations"] = {"servers": {"notes": {"tools": TOOLS}}}
        policy = replace(Policy.of_json(value), verified=True)
        self.seen_file = root / "seen"
        guard = Guard(policy, audit=root / "audit.jsonl", ask_timeout_s=options.pop("timeout", MOST_S))
        command = [sys.executable, "-c", SERVER, str(self.seen_file), json.dumps(say)]
        to_proxy, from_client = os.pipe()
        to_client, from_proxy = os.pipe()
        self.out, self.answers = os.fdopen(from_client, "wb", 0), os.fdopen(to_client, "rb", 0)
        self._ends = (os.fdopen(to_proxy, "rb"), os.fdopen(from_proxy, "wb"))
        options = {"server": "notes", "max_bytes": 1 << 20, **options}
        proxy = Proxy(guard, command, ProxyOptions(**options), client_in=self._ends[0], client_out=self._ends[1])
        self.thread = Thread(target=proxy.run, daemon=True)
        self.thread.start()

    def send(self, *messages: Any) -> None:
        for one in messages:
            data = one if isinstance(one, bytes) else json.dumps(one).encode()
            self.out.write(data + b"\n")

    def receive(self) -> Any:
        assert select.select([self.answers], [], [], 20)[0], "the proxy sends nothing more"
        return json.loads(self.answers.readline())

    def answer_to(self, number: Any) -> Any:
        """Return the next response to a request."""
        while True:
            found = self.receive()
            if found.get("id") == number and "method" not in found:
                return found

    def question(self) -> Any:
        """Return the next question to the user."""
        while True:
            found = self.receive()
            if found.get("method") == "elicitation/create":
                return found

    def close(self) -> None:
        self.out.close()
        self.thread.join(20)
        for one in (self.answers, *self._ends):
            one.close()

    @property
    def seen(self) -> list[Any]:
        """The messages that reached the server."""
        lines = self.seen_file.read_bytes().splitlines() if self.seen_file.exists() else []
        return [json.loads(line) for line in lines]

    @property
    def called(self) -> list[Any]:
        return [one["params"] for one in self.seen if one.get("method") == "tools/call"]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Callable[..., Line]]:
    made: list[Line] = []

    def line(say: dict[str, list[str]] | None = None, **options: Any) -> Line:
        made.append(Line(tmp_path, say or {}, **options))
        return made[-1]

    yield line
    for one in made:
        one.close()


def request(method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(name: str, number: Any = 1, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", number, name=name, arguments=arguments)


def hello(**capabilities: Any) -> dict[str, Any]:
    return request("initialize", "hello", protocolVersion="2025-06-18", capabilities=capabilities, clientInfo={})


YES = {"action": "accept", "content": {"allow": True}}


def says(message: Any) -> str:
    """Return what a server writes, with the id of the request for "ID"."""
    return json.dumps(message).replace('"ID"', "ID")


DONE = says({"jsonrpc": "2.0", "id": "ID", "result": {}})


def test_a_question_of_the_server_is_never_taken_for_one_of_the_guard(connect: Callable[..., Line]):
    forged = [says(request("elicitation/create", f"retouch-guard-{n}", message="Do you like cats?")) for n in range(4)]
    line = connect({"ping": [*forged, DONE]})
    line.send(hello(elicitation={}), call("write_file", 7, path="/notes/a"))
    real = line.question()
    line.send(request("ping", 8))
    while (found := line.receive()).get("id") != 8:
        line.send({"jsonrpc": "2.0", "id": found["id"], "result": YES})
    line.send({"jsonrpc": "2.0", "id": real["id"], "result": {"action": "decline"}})
    assert line.answer_to(7)["result"]["isError"]
    assert [] == line.called


def test_questions_of_a_server_and_their_answers_pass(connect: Callable[..., Line]):
    line = connect({"ping": [says(request("sampling/createMessage", 5, messages=[])), DONE]})
    line.send(hello(sampling={}), request("ping", 8))
    line.answer_to("hello")
    assert ("sampling/createMessage", 5) == ((found := line.receive())["method"], found["id"])
    line.send({"jsonrpc": "2.0", "id": 5, "result": {"role": "assistant"}}, request("ping", 9))
    line.answer_to(9)
    assert {"jsonrpc": "2.0", "id": 5, "result": {"role": "assistant"}} in line.seen


def test_a_member_that_another_reader_would_take_for_the_method_is_not_forwarded(connect: Callable[..., Line]):
    line = connect()
    hidden = {"Method": "tools/call", "PARAMS": {"name": "write_file", "arguments": {"path": "/notes/a"}}}
    line.send({**request("ping", 1), **hidden}, {"jsonrpc": "2.0", "id": 2, "method": None, **hidden})
    assert {} == line.answer_to(1)["result"]
    line.send(request("ping", 3))
    line.answer_to(3)
    assert [request("ping", 1), request("ping", 3)] == line.seen


@pytest.mark.parametrize(
    "broken",
    [
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e999}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff\xfe"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":2}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"[" * 980 + b"]" * 980 + b"}}",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"9" * 10_000 + b"}}",
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},5]',
        b"[]",
        b'"ping"',
        b"\x00",
    ],
)
def test_a_message_that_cannot_be_forwarded_ends_nothing(connect: Callable[..., Line], broken: bytes):
    line = connect()
    line.send(broken, request("ping", 2))
    assert {} == line.answer_to(2)["result"]


@pytest.mark.parametrize("value", ["\\ud800", "\\u0000"])
def test_a_call_that_cannot_be_forwarded_is_answered(connect: Callable[..., Line], value: str):
    line = connect()
    line.send(json.dumps(call("read_file", 1, path="/notes/x")).replace("x", value).encode())
    assert line.answer_to(1)["result"]["isError"]


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "[1]",
        '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}',
        '{"jsonrpc":"2.0","result":{"a":"\\ud800"},"id":5}',
        "\x00",
    ],
)
def test_a_broken_message_of_the_server_ends_nothing(connect: Callable[..., Line], broken: str):
    line = connect({"ping": [broken, DONE]})
    line.send(request("ping", 2))
    assert {} == line.answer_to(2)["result"]


LISTED = {
    "tools": [{"name": "read_file"}, {"name": "read_file "}, {"name": "Read_File"}, {"name": "bash"}, {"name": 5}]
}


@pytest.mark.parametrize("number", [1, "1"])
@pytest.mark.parametrize("back", ["1", '"1"'])
def test_a_list_is_filtered_however_its_id_is_written_and_however_often_it_comes(
    connect: Callable[..., Line], number: Any, back: str
):
    found = says({"jsonrpc": "2.0", "id": "BACK", "result": LISTED}).replace('"BACK"', back)
    line = connect({"tools/list": [found, found]})
    line.send(request("tools/list", number))
    assert [["read_file"]] * 2 == [[one["name"] for one in line.receive()["result"]["tools"]] for _ in range(2)]


def test_a_tool_that_is_listed_twice_is_not_shown(connect: Callable[..., Line]):
    twice = {"tools": [{"name": "read_file", "description": "a"}, {"name": "read_file", "description": "b"}]}
    line = connect({"tools/list": [says({"jsonrpc": "2.0", "id": "ID", "result": twice})]})
    line.send(request("tools/list", 1))
    assert [] == line.answer_to(1)["result"]["tools"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "/notes/a", "Path": "/etc/shadow"},
        {"path": "/notes/a", "arguments": {"path": "/etc/shadow"}},
        {"path": ["/notes/a", "/etc/shadow"]},
        {"path": ["/notes/a", ["/etc/shadow"]]},
        {"path": {"path": "/notes/a", "more": {"path": "/etc/shadow"}}},
        {"path": {"/etc/shadow": "/notes/a"}},
        {"path": "/notes/../etc/shadow"},
    ],
)
def test_an_argument_that_is_split_or_nested_is_decided_as_a_whole(
    connect: Callable[..., Line], arguments: dict[str, Any]
):
    line = connect()
    line.send(request("tools/call", 1, name="read_file", arguments=arguments))
    assert line.answer_to(1)["result"]["isError"]
    assert [] == line.called


def test_a_call_in_a_batch_and_a_call_with_the_id_of_another_are_decided_too(connect: Callable[..., Line]):
    line = connect()
    bad, good = call("read_file", 1, path="/etc/shadow"), call("read_file", 1, path="/notes/a")
    line.send([bad, good], bad)
    found = [line.receive()["result"].get("isError", False) for _ in range(3)]
    assert [False, True, True] == sorted(found)
    assert [{"name": "read_file", "arguments": {"path": "/notes/a"}}] == line.called


def test_a_cancelled_call_is_not_made_even_if_the_user_agrees_later(connect: Callable[..., Line]):
    line = connect()
    line.send(hello(elicitation={}), call("write_file", 7, path="/notes/a"))
    asked = line.question()
    line.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})
    line.send({"jsonrpc": "2.0", "id": asked["id"], "result": YES}, request("ping", 8))
    line.answer_to(8)
    line.close()
    assert [] == line.called


@pytest.mark.parametrize(("number", "other"), [(7, "7"), ("7", 7)])
def test_cancelling_a_call_does_not_cancel_one_whose_id_only_looks_the_same(
    connect: Callable[..., Line], number: object, other: object
):
    line = connect()
    line.send(hello(elicitation={}), call("write_file", number, path="/notes/a"))
    asked = line.question()
    line.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": other}})
    line.send({"jsonrpc": "2.0", "id": asked["id"], "result": YES})
    assert {} == line.answer_to(number)["result"]
    assert 1 == len(line.called)


def test_more_open_questions_than_the_limit_are_denied_at_once(connect: Callable[..., Line]):
    line = connect(timeout=MOST_S)
    line.send(hello(elicitation={}))
    line.send(*(call("write_file", n, path=f"/notes/{n}") for n in range(MAX_CALLS + 5)))
    asked: list[Any] = []
    denied: list[Any] = []
    while len(asked) + len(denied) < MAX_CALLS + 5:
        found = line.receive()
        if found["id"] != "hello":
            (asked if "method" in found else denied).append(found)
    assert (MAX_CALLS, 5) == (len(asked), len(denied))
    line.send({"jsonrpc": "2.0", "id": asked[0]["id"], "result": YES})
    assert {} == line.receive()["result"]
    assert 1 == len(line.called)
