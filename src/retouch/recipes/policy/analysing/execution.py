"""Detects tools that run code. Such a tool can do everything that a policy forbids for other tools."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from retouch.recipes.policy.analysing.idle_rules import decided_regions
from retouch.recipes.policy.analysing.units import described
from retouch.recipes.policy.deciding.shell_tests import is_of_reading
from retouch.recipes.policy.language.docstrings import plain_tool
from retouch.recipes.policy.language.values import Server

if TYPE_CHECKING:
    from retouch.recipes.policy.language.policy import Policy
    from retouch.recipes.policy.language.values import Tool

_RUNNING_WORDS = """
    bash call cmd command console eval evaluate exec execute interpreter invoke javascript jupyter node perl
    powershell pwsh python repl ruby run script sh shell spawn ssh sudo terminal zsh
"""
_RUNS = frozenset(_RUNNING_WORDS.split())
_ASKS = frozenset({"query", "sql", "cypher", "graphql"})
_LOOKS = frozenset(
    {"get", "list", "describe", "show", "read", "view", "search", "find", "cancel", "stop", "kill", "status"}
)
# `browser_console_messages` and `BashOutput` only show what was printed.
_PRINTED = frozenset({"message", "messages", "log", "logs", "output", "outputs", "error", "errors"})
_SHOWS = re.compile(r"(?:returns?|retrieves?|gets?|lists?|reads?|shows?|fetch(?:es)?)\b")
_CODE = frozenset({"code", "command", "cmd", "script", "sql", "shell", "statement", "program", "source_code", "cypher"})
# "Call" is also what a telephone does, and a code is also a number that somebody is given.
_TELEPHONE_WORDS = (
    "phone telephone video voice conference customer contact client schedule log end answer guest member patient "
    "parent family student teacher candidate user person supplier driver tenant doctor"
)
_TELEPHONE = frozenset(_TELEPHONE_WORDS.split())
_PHONE_ARGUMENTS = frozenset({"phone", "phone_number", "callee", "attendees", "participants", "contact", "contact_id"})
_REMOTE_WORDS = "api function method tool rpc procedure endpoint service contract graphql webhook"
_REMOTE = frozenset(_REMOTE_WORDS.split())
_REMOTE_ARGUMENTS = _REMOTE | {"args", "arguments", "params", "url", "path", "body"}
_CODES = """
    coupon discount promo promotion voucher gift referral redeem otp zip postal postcode country currency language
    airport iata area tracking reason invitation
"""
KINDS_OF_CODES = frozenset(_CODES.split())
_LONGEST_NUMBER = 32
_OTHERWISE = frozenset({"code", "program", "script"})
_OF_CODE = re.compile(
    r"\b(?:runs?|execut\w+|eval\w*|scripts?|snippets?|python|javascript|typescript|node|ruby|perl|java|programs?|source|"
    r"interpret\w*|sandbox|notebooks?|cells?|sql|expressions?|functions?|compil\w+|shell|bash|commands?|console|kernel)\b"
)
# "Execute" and "run" are also what a broker does with an order: `execute_trade(symbol, quantity)` runs no code.
_CARRIES_OUT = frozenset({"execute", "run"})
_BUSINESS_WORDS = """
    bank card cash crypto currency deposit fund funds invoice limit market money order orders payment payments payout
    payroll purchase refund share shares stock swap trade trades transaction transactions transfer transfers wire
    withdrawal
"""
_BUSINESS = frozenset(_BUSINESS_WORDS.split())
# What a tool starts, and what is defined elsewhere.
_DEFINED_ELSEWHERE = frozenset({"workflow", "workflows", "actions", "pipeline", "pipelines", "job", "jobs", "build"})
# What says that a call brings the program itself: `run_job(name, image, args)`.
_OWN_PROGRAMS = frozenset({"image", "args", "arguments", "entrypoint", "expression", "file", "module", "source", "url"})
_CARRYING_WORDS = """
    action arg args argument arguments body call code command data exec expression file function input instruction
    instructions job json method module options params parameters path payload procedure program prompt query
    request script source sql statement step steps task template text tool url workflow
"""
_CARRYING = frozenset(_CARRYING_WORDS.split())
# Of a cluster, and no Node.js: `drain_node(name)`.
_OF_CLUSTERS = frozenset({"node", "nodes", "name", "node_name", "nodename", "node_id", "nodeid"})
# What is typed into a program that runs is code as well: `interact_with_process(input)`.
_PROGRAM_WORDS = frozenset({"process", "session", "stdin", "pty", "tty"})
_TYPING = frozenset({"interact", "send", "write", "input", "type"})
_TYPED = frozenset({"input", "stdin", "text", "data", "keys"})
_OF_SQL = re.compile(r"\b(?:sql|ddl)\b", re.IGNORECASE)
_QUESTIONS = _CODE | {"query", "q", "text", "expression", "statements", "queries"}


def name_words(tool: Tool) -> frozenset[str]:
    """Return the words of a tool's name in lower case."""
    return frozenset(_split_name(tool.name))


def _split_name(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def executes_code(tool: Tool) -> bool:
    """Return whether a tool runs code that it receives.

    This is assumed if an argument has the role `executes-code`, or if the tool's name suggests it, for example `bash`,
    `run_python`, `evaluate` or `db_query(sql)`. A false positive only makes the policy more careful. Names that are
    surely about something else are excepted: `make_phone_call`, `redeem_voucher(code)`, `execute_trade(symbol)`.
    """
    if any("executes-code" in spec.all_roles for spec in tool.args.values()):
        return True
    tool = plain_tool(tool)
    words = _split_name(tool.name)
    arguments = {name.lower() for name in tool.args}
    if words and (words[0] in _LOOKS or _shows_what_was_printed(tool, words, arguments)):
        return False
    runs = _RUNS.intersection(words) - ({"call"} if _telephones(words, arguments) else set())
    spoken = words[1:] == ["call"] and not arguments & _REMOTE_ARGUMENTS  # `forward_call`
    runs -= {"call"} if spoken else set()
    runs -= _CARRIES_OUT if _does_business(words, arguments) or _starts_named(words, arguments) else set()
    runs -= {"node"} if arguments & _OF_CLUSTERS and not arguments & (_CODE | _CARRYING) else set()
    given = arguments & _CODE - _chosen(tool) - ({"code"} if _is_a_number(tool, words) else set())
    if runs or (given - _OTHERWISE) or (given and _tells_of_code(tool, words)):
        return True
    if any(map(is_sql, tool.args, (described(tool, arg) or tool.comment for arg in tool.args))):
        return True
    types = not _PROGRAM_WORDS.isdisjoint(words) and not _TYPING.isdisjoint(words) and bool(arguments & _TYPED)
    return types or (not _ASKS.isdisjoint(words) and bool(arguments & _QUESTIONS))


def is_sql(arg: str, description: str) -> bool:
    """Return whether an argument is SQL by its description, or that of a tool without one: "The SQL query to apply"."""
    return arg.lower() in _QUESTIONS and _OF_SQL.search(description) is not None


def _shows_what_was_printed(tool: Tool, words: list[str], arguments: set[str]) -> bool:
    """Return whether a tool only shows messages of a console or a shell: it takes nothing that could be run."""
    takes = arguments & (_CODE | _CARRYING | _QUESTIONS)
    return len(words) > 1 and words[-1] in _PRINTED and not takes and _SHOWS.match(tool.comment.lower()) is not None


def _chosen(tool: Tool) -> set[str]:
    """Return the arguments for which the schema lists the values: the commands of a player are no code."""
    properties = tool.schemas.items()
    return {name.lower() for name, schema in properties if isinstance(schema, dict) and "enum" in schema}


def _tells_of_code(tool: Tool, words: list[str]) -> bool:
    """Return whether an argument `code`, `program` or `script` is code: not that of an alarm or of a dishwasher."""
    told = " ".join((*words, tool.comment, *(described(tool, arg) for arg in tool.args if arg.lower() in _OTHERWISE)))
    return not tool.comment or _OF_CODE.search(told.lower()) is not None


def _telephones(words: list[str], arguments: set[str]) -> bool:
    """Return whether a tool calls people: `make_phone_call`, but not `call_function` or `call_customer_api`."""
    people = not _TELEPHONE.isdisjoint(words) or bool(arguments & _PHONE_ARGUMENTS)
    return people and _REMOTE.isdisjoint(words) and not arguments & _REMOTE_ARGUMENTS


def _does_business(words: list[str], arguments: set[str]) -> bool:
    """Return whether a tool carries out an order or payment: `execute_trade`, but not `execute_trade(script)`."""
    parts = {part for name in arguments for part in _split_name(name)}
    return words[0] in _CARRIES_OUT and {*words[1:]} <= _BUSINESS and len(words) > 1 and not parts & _CARRYING


def _starts_named(words: list[str], arguments: set[str]) -> bool:
    """Return whether a tool starts what is defined elsewhere, by its name: `run_workflow(workflow_id)`."""
    parts = {part for name in arguments for part in _split_name(name)}
    given = parts & (_CODE | _RUNS | _OWN_PROGRAMS) - {"run"}
    return not _DEFINED_ELSEWHERE.isdisjoint(words) and not given and bool(parts & {"id", "name"})


def _is_a_number(tool: Tool, words: list[str]) -> bool:
    """Return whether the argument `code` is no program: `apply_discount_code(code)`, a list of values, a short text."""
    schema = next((one for name, one in tool.schemas.items() if name.lower() == "code"), None)
    if isinstance(schema, dict):
        known = cast("dict[str, object]", schema)
        longest = known.get("maxLength")
        if isinstance(known.get("enum"), list) or (isinstance(longest, int) and longest <= _LONGEST_NUMBER):
            return True
    return not KINDS_OF_CODES.isdisjoint(words)


def free_to_execute(policy: Policy) -> tuple[str, ...]:
    """Return the allowed tools that run code, as `server/tool`. Nothing controls the code they run.

    What a rule allows by the kinds of its statements (`sql`) is controlled, and so are commands that only read.
    """
    running = {key: tool for key, tool in policy.tools.items() if executes_code(tool)}
    if not running:
        return ()
    free = [key for key in running if policy.servers.get(key[0], Server(name=key[0])).trusted]
    controlled = {
        rule.name
        for rule in policy.rules
        if any(one.sql or (one.runs and all(map(is_of_reading, one.runs))) for one in rule.when.where)
    }
    regions = decided_regions(policy)
    allowed = {
        (call.server, call.tool) for call, was in regions if was.decision == "allow" and was.rule not in controlled
    }
    return tuple(f"{server}/{name}" for server, name in running if (server, name) in allowed or (server, name) in free)
