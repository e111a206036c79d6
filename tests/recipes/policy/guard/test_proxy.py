"""The MCP proxy between the official SDK's client and a server process of its own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from retouch.recipes.policy import Policy
from tests.waiting import MOST_S

mcp = pytest.importorskip("mcp")

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

SERVER = Path(__file__).parent / "notes_server.py"
START = (
    "import sys; from pathlib import Path; from retouch.policy import Guard; "
    "from retouch.recipes.policy.guard.proxy import Proxy, ProxyOptions; import json; o = json.loads(sys.argv[1]); "
    "g = Guard(o['policy'], audit=o['audit'], ask_timeout_s=o.get('timeout', 300), shadow=o.get('shadow', False)); "
    "sys.exit(Proxy(g, o['command'], ProxyOptions(server='notes', listing=o.get('listing', 'filter'), "
    "max_bytes=o.get('max_bytes', 1 << 20))).run())"
)


def tool(name: str, *roles: str, **more: list[str]) -> dict[str, Any]:
    return {"toolName": name, "args": {"path": list(roles), **more}}


class Place:
    """A directory of notes, a verified policy about it, and what reached the server."""

    def __init__(self, root: Path) -> None:
        self.root, self.seen_file = root / "notes", root / "seen.jsonl"
        self.audit, self.policy = root / "audit.jsonl", root / "policy.json"
        self.root.mkdir()
        (self.root / "a.md").write_text("hello", encoding="utf-8")
        self.write_policy()

    def write_policy(self, *more: dict[str, Any], verified: bool = True, **changes: Any) -> None:
        within = str(self.root)
        rules = [
            *more,
            {"name": "read", "if": {"paths": {"roles": ["read-path"], "within": within}}, "then": "allow"},
            {"name": "write", "if": {"paths": {"roles": ["write-path"], "within": within}}, "then": "escalate"},
        ]
        tools = [tool("read_file", "read-path"), tool("write_file", "write-path", content=["none"])]
        tools += [tool("delete_file", "delete-path")]
        value: Any = {
            "semantics": 2,
            "home": str(self.root.parent),
            "rules": rules,
            "annotations": {"servers": {"notes": {"tools": tools}}},
            **changes,
        }
        stored = replace(Policy.of_json(value), verified=verified).as_json()
        fresh = self.policy.with_suffix(".new")
        fresh.write_text(json.dumps(stored), encoding="utf-8")
        fresh.replace(self.policy)

    @property
    def seen(self) -> list[Any]:
        if not self.seen_file.exists():
            return []
        return [json.loads(line) for line in self.seen_file.read_text(encoding="utf-8").splitlines()]

    def rows(self, event: str) -> list[dict[str, Any]]:
        rows = [json.loads(line) for line in self.audit.read_text(encoding="utf-8").splitlines()]
        return [one for one in rows if one["event"] == event]

    def command(self, **options: Any) -> list[str]:
        inner = [sys.executable, str(SERVER), str(self.root), str(self.seen_file)]
        given = {"policy": str(self.policy), "audit": str(self.audit), "command": inner, **options}
        return [sys.executable, "-c", START, json.dumps(given)]

    def with_client(
        self, work: Callable[[Any], Awaitable[None]], *, answer: Callable[[Any], Any] | None = None, **options: Any
    ) -> None:
        async def run() -> None:
            command, *arguments = self.command(**options)

            async def elicited(_context: Any, params: Any) -> Any:
                found = answer(params) if answer is not None else None
                return await found if asyncio.iscoroutine(found) else found

            parameters = mcp.StdioServerParameters(command=command, args=arguments)
            async with mcp.stdio_client(parameters) as (read, write):
                callback = elicited if answer is not None else None
                async with mcp.ClientSession(read, write, elicitation_callback=callback) as session:
                    await session.initialize()
                    await work(session)

        asyncio.run(run())

    def raw(self, *messages: Any, **options: Any) -> list[Any]:
        """Return what the proxy answers to lines as they are; text is sent as it is."""
        text = "".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in messages)
        ran = subprocess.run(
            self.command(**options), input=text, capture_output=True, text=True, check=False, timeout=MOST_S
        )
        return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def text_of(result: Any) -> str:
    return result.content[0].text


def yes(allow: bool) -> Callable[[Any], Any]:
    return lambda _params: mcp.types.ElicitResult(action="accept", content={"allow": allow})


HELLO: list[Any] = [
    {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
]


def call(name: str, arguments: Any, number: int = 7) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def test_allowed_calls_reach_the_server_as_they_were_judged_and_denied_ones_do_not(place: Place):
    async def work(session: Any) -> None:
        read = await session.call_tool("read_file", {"path": f"{place.root}/x/../a.md"})
        assert (False, "hello") == (bool(read.is_error), text_of(read))
        denied = await session.call_tool("delete_file", {"path": f"{place.root}/a.md"})
        assert denied.is_error
        assert "default-deny" in text_of(denied)

    place.with_client(work)
    assert [["read_file", {"path": f"{place.root}/a.md"}]] == place.seen
    assert ["allow", "deny"] == [one["decision"] for one in place.rows("decided")]


def test_the_list_holds_only_tools_that_some_call_may_use(place: Place):
    async def work(session: Any) -> None:
        names = [one.name for one in (await session.list_tools()).tools]
        assert ["read_file", "write_file"] == names

    place.with_client(work)


def test_the_list_may_say_what_is_asked_and_what_is_denied_instead(place: Place):
    async def work(session: Any) -> None:
        found = {one.name: one.description for one in (await session.list_tools()).tools}
        assert found["read_file"] == "Read a file."
        assert found["write_file"].startswith("[The user is asked")
        assert found["bash"].startswith("[The policy denies this tool.]")

    place.with_client(work, listing="annotate")


@pytest.mark.slow
@pytest.mark.parametrize(("allow", "written"), [(True, 1), (False, 0)])
def test_a_question_reaches_the_user_through_the_client(place: Place, allow: bool, written: int):
    async def work(session: Any) -> None:
        found = await session.call_tool("write_file", {"path": f"{place.root}/b.md", "content": "new"})
        assert bool(found.is_error) is not allow

    asked: list[str] = []

    def answer(params: Any) -> Any:
        asked.append(params.message)
        return yes(allow)(params)

    place.with_client(work, answer=answer)
    assert written == len(place.seen)
    assert "notes/write_file" in asked[0]
    assert [("escalate", "allowed-by-user" if allow else "refused-by-user")] == [
        (one["decision"], one["answer"]) for one in place.rows("decided")
    ]


def test_without_anybody_to_ask_a_question_is_a_denial(place: Place):
    async def work(session: Any) -> None:
        assert (await session.call_tool("write_file", {"path": f"{place.root}/b.md", "content": "x"})).is_error

    place.with_client(work)
    assert ([], "nobody-to-ask") == (place.seen, place.rows("decided")[0]["answer"])


@pytest.mark.slow
def test_no_answer_in_time_is_a_denial_and_other_calls_go_on_meanwhile(place: Place):
    async def never(_params: Any) -> Any:
        await asyncio.sleep(900)

    async def work(session: Any) -> None:
        slow = asyncio.create_task(session.call_tool("write_file", {"path": f"{place.root}/b.md", "content": "x"}))
        read = await session.call_tool("read_file", {"path": f"{place.root}/a.md"})
        assert "hello" == text_of(read)
        assert not slow.done()
        assert (await slow).is_error

    place.with_client(work, answer=never, timeout=12)
    assert "no-answer-in-time" in {one.get("answer") for one in place.rows("decided")}
    assert ["read_file"] == [name for name, _ in place.seen]


def test_concurrent_questions_get_each_its_own_answer(place: Place):
    def answer(params: Any) -> Any:
        return yes("good" in params.message)(params)

    async def work(session: Any) -> None:
        names = ["good-1", "bad-1", "good-2", "bad-2"]
        calls = (session.call_tool("write_file", {"path": f"{place.root}/{one}", "content": one}) for one in names)
        found = await asyncio.gather(*calls)
        assert [False, True, False, True] == [bool(one.is_error) for one in found]

    place.with_client(work, answer=answer)
    assert {"good-1", "good-2"} == {arguments["content"] for _, arguments in place.seen}


def test_what_a_policy_cannot_speak_of_does_not_get_through(place: Place):
    async def work(session: Any) -> None:
        with pytest.raises(mcp.MCPError, match="does not forward 'resources/read'"):
            await session.read_resource("notes://all")

    place.with_client(work)
    assert [] == place.seen


NOT_PLAIN: dict[str, int | None] = {
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_file","name":"bash","arguments":{}}}': None,
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"bash","arguments":{"command":"id"}}}': 2,
    '[{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"bash","arguments":{"command":"id"}}}]': 3,
    '{"jsonrpc":"2.0","id":[4],"method":"tools/call","params":{"name":"read_file","arguments":{}}}': None,
    '{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"read_file","arguments":{"path":NaN}}}': None,
    '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"read_file","arguments":["/etc/passwd"]}}': 6,
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Read_File","arguments":{"path":"/etc/hosts"}}}': 7,
    '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[{"name":"bash"}]}': 8,
    '{"jsonrpc":"2.0","id":9,"method":"x/tools/call","params":{"name":"bash","arguments":{"command":"id"}}}': 9,
    '{"id":10': None,
}
"""Messages, and the id of the answer to each: none if the message has no id that can be read."""
NOT_ANSWERED = '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"bash","arguments":{"command":"id"}}}'


@pytest.mark.slow
def test_a_message_that_is_not_plain_reaches_no_tool_and_the_next_one_is_served(place: Place):
    plain = call("read_file", {"path": f"{place.root}/a.md"}, 11)
    answers = place.raw(*HELLO, *NOT_PLAIN, NOT_ANSWERED, plain)
    assert [["read_file", plain["params"]["arguments"]]] == place.seen
    refused = [one["id"] for one in answers if one["id"] not in {0, 11}]
    assert sorted(map(str, NOT_PLAIN.values())) == sorted(map(str, refused))


def test_a_huge_message_is_refused_and_the_next_one_is_served(place: Place):
    huge = json.dumps(call("read_file", {"path": "x" * 100_000}))
    answers = place.raw(*HELLO, huge, call("read_file", {"path": f"{place.root}/a.md"}, 8), max_bytes=50_000)
    assert any("messages are limited to" in json.dumps(one) for one in answers)
    assert ["read_file"] == [name for name, _ in place.seen]


def test_in_shadow_everything_passes_and_the_audit_tells_what_would_have_been(place: Place):
    async def work(session: Any) -> None:
        assert "delete_file" in {tool.name for tool in (await session.list_tools()).tools}
        found = await session.call_tool("delete_file", {"path": f"{place.root}/./a.md"})
        assert not found.is_error

    place.with_client(work, shadow=True)
    (row,) = place.rows("decided")
    assert ("deny", True, True) == (row["decision"], row["allowed"], row["shadow"])
    assert [["delete_file", {"path": f"{place.root}/./a.md"}]] == place.seen


def test_a_new_policy_counts_only_if_it_is_verified(place: Place):
    path = f"{place.root}/a.md"
    deny = {"name": "none", "if": {"tool": ["read_file"]}, "then": "deny"}

    async def work(session: Any) -> None:
        assert not (await session.call_tool("read_file", {"path": path})).is_error
        place.write_policy(deny, verified=False)
        assert not (await session.call_tool("read_file", {"path": path})).is_error
        place.write_policy(deny)
        assert (await session.call_tool("read_file", {"path": path})).is_error

    place.with_client(work)
    assert (1, 1) == (len(place.rows("reload-refused")), len(place.rows("reloaded")))
