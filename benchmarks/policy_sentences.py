"""How many ordinary sentences are read without a model, and whether one is misread.

    python benchmarks/policy_sentences.py DIRECTORY [--show] [--only TEXT] [--together]

DIRECTORY has a directory for each agent with tools.json (the result of MCP's tools/list) and sentences.jsonl: {"text",
"kind": "rule" or "background", "impossible", "taste", "calls": [{"call": {"tool", "arguments"}, "decision", "at",
"earlier"}]}. Each sentence is a policy of its own: `retouch policy annotate`, then `retouch generate policy`, and the
calls are decided by the policy that it writes. A sentence that permits nothing is judged next to a permission of all
tools, since alone it denies everything. A decision is allow, deny, ask or unsettled.

- read: the sentence is enforced, alone and next to that permission, the policy is verified, and every settled call is
  decided as expected; background: it is no rule.
- misread: it is enforced, but a call is decided in another way; or a rule was taken for background; or background, or
  what no rule about a call can enforce ("impossible"), is enforced.
- refused: everything else. A refused sentence that is impossible is right.
- offered: it is refused, and one of the sentences that are suggested instead decides every call as expected. Beside a
  suggestion that permits nothing all other calls are allowed, and calls that are not settled must be: else it would be
  right whatever it forbids. Suggestions for what is no rule, or cannot be enforced, are counted as wrong.

Sentences of which the author says that they can be read in several ways ("taste") are counted apart.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner

from retouch.cli.root import command
from retouch.recipes.policy import Policy, ToolCall, evaluate
from retouch.recipes.policy.deciding.evaluation import LEXICAL
from retouch.recipes.policy.language.values import CallState, EarlierCall

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = "/home/ada"
DECISIONS = {"allow": "allow", "deny": "deny", "ask": "escalate"}
KINDS = ("rule", "impossible", "background", "taste")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What became of a sentence: `read`, `refused` or `misread`, with the reasons and what its rules mean.

    `suggested` are the suggestions for a refused one, and `right` whether each is.
    """

    agent: str
    kind: str
    text: str
    outcome: str
    whys: tuple[str, ...] = ()
    means: tuple[str, ...] = field(default=())
    suggested: tuple[str, ...] = ()
    right: tuple[bool, ...] = ()


def outcomes(directory: Path, only: str = "", *, together: bool = False) -> Iterator[Outcome]:
    """Yield what becomes of the sentences of every agent. `together`: each has the tools of all of them."""
    agents = sorted(one for one in directory.iterdir() if (one / "sentences.jsonl").is_file())
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        files = {agent: made / f"{agent.name}.json" for agent in agents}
        for agent, file in files.items():
            _done("policy", "annotate", str(agent / "tools.json"), "--server", agent.name, "-o", str(file))
        if together:
            known = [json.loads(file.read_text(encoding="utf-8")) for file in files.values()]
            servers = {server: tools for one in known for server, tools in one["servers"].items()}
            files = dict.fromkeys(agents, made / "annotations.json")
            files[agents[0]].write_text(json.dumps(known[0] | {"servers": servers}), encoding="utf-8")
        for agent in agents:
            lines = (agent / "sentences.jsonl").read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(one for one in lines if one.strip()):
                sentence = json.loads(line)
                if only in sentence["text"]:
                    yield _outcome(agent.name, sentence, files[agent], made / f"{agent.name}-{number}")


def _outcome(agent: str, sentence: dict[str, Any], annotations: Path, made: Path) -> Outcome:
    clauses, verified = _generated(sentence["text"], sentence, annotations, made)
    statuses = {one["status"] for one in clauses}
    background = sentence["kind"] == "background"
    impossible = bool(sentence.get("impossible"))
    outcome, whys = "refused", tuple(one["why"] for one in clauses if one["why"])
    if statuses == {"not_a_rule"}:
        outcome = "read" if background else "misread"
    elif statuses <= {"enforced", "not_a_rule"} and not verified:
        whys = ("the policy is not verified",)
    elif statuses <= {"enforced", "not_a_rule"}:
        partly: tuple[str, ...] = ()
        if _restricts(sentence["text"], clauses):
            made = made.with_name(f"{made.name}-all")
            beside, _ = _generated(_next_to_all(sentence["text"], agent), sentence, annotations, made)
            partly = tuple(one["why"] for one in beside if one["status"] not in {"enforced", "not_a_rule"})
        whys = partly
        if background or impossible or not partly:
            whys = ("it is enforced",) if background or impossible else tuple(_wrong(agent, sentence, made))
            outcome = "misread" if whys else "read"
    elif impossible and not background:
        outcome = "read"
    kind = "taste" if sentence.get("taste") else "impossible" if impossible else sentence["kind"]
    means = tuple(line for one in clauses for line in one["means"])
    suggested = tuple(line for one in clauses for line in one["nearest"])
    right = tuple(
        kind == "rule" and _is_right(agent, line, sentence, annotations, made.with_name(f"{made.name}-{number}"))
        for number, line in enumerate(suggested)
    )
    return Outcome(
        agent=agent,
        kind=kind,
        text=sentence["text"],
        outcome=outcome,
        whys=whys,
        means=means,
        suggested=suggested,
        right=right,
    )


def _restricts(text: str, clauses: list[dict[str, Any]]) -> bool:
    """Return whether a sentence permits nothing: by its rules, or as "only send mail to ..." by its words."""
    allows = any(line.startswith("allow ") for one in clauses for line in one["means"])
    return not allows or (_ONLY.search(text) is not None and _PERMITS.search(text) is None)


def _generated(text: str, sentence: dict[str, Any], annotations: Path, made: Path) -> tuple[list[dict[str, Any]], bool]:
    """Make a policy of a text, and return its clauses, and whether it is verified."""
    file = made.with_suffix(".md")
    file.write_text(f"{text}\n", encoding="utf-8")
    options = (
        "--tools",
        str(annotations),
        "--home",
        HOME,
        "--time-zone",
        _zone_of(sentence),
        "--yes",
        "--no-cache",
        "--json",
    )
    result = json.loads(_done("generate", "policy", str(file), *options, "-o", str(made), expected=(0, 1)))
    return result["clauses"], result["status"] == "verified"


def _is_right(agent: str, line: str, sentence: dict[str, Any], annotations: Path, made: Path) -> bool:
    """Return whether a suggestion decides every call as expected, all others allowed if it permits nothing itself."""
    restricts = not line.startswith("Allow ") and ". Allow " not in line
    text = _next_to_all(line, agent) if restricts else line
    clauses, _ = _generated(text, sentence, annotations, made)
    if not all(one["status"] == "enforced" for one in clauses):
        return False
    unsettled = [{**one, "decision": "allow"} for one in sentence["calls"] if one["decision"] not in DECISIONS]
    more = unsettled if restricts else []
    settled = [one for one in sentence["calls"] if one["decision"] in DECISIONS]
    return not any(_wrong(agent, {**sentence, "calls": [*settled, *more]}, made))


def _next_to_all(text: str, agent: str) -> str:
    return f"{text}\n\nAllow using any tool of {agent}."


def _zone_of(sentence: dict[str, Any]) -> str:
    """Return the time zone of the calls: the author's clock, by the times of the calls or else those that they name."""
    times: list[Any] = [one.get("at") for one in sentence["calls"]]
    for one in sentence["calls"]:
        given: dict[str, Any] = one["call"].get("arguments") or {}
        times += given.values()
    written = (one for one in times if isinstance(one, str) and _OFFSET.fullmatch(one))
    offset = next((datetime.fromisoformat(one).utcoffset() for one in written), None)
    hours = 0 if offset is None else round(offset.total_seconds() / 3600)
    return f"Etc/GMT{-hours:+d}" if hours else "UTC"


def _wrong(agent: str, sentence: dict[str, Any], made: Path) -> Iterator[str]:
    policy = Policy.load(made)
    for one in sentence["calls"]:
        wanted = DECISIONS.get(one["decision"])
        found = evaluate(policy, _call_of(agent, one), surroundings=LEXICAL)
        if wanted not in {None, found.decision}:
            yield f"{json.dumps(one)} is {found.decision} by {found.rule}"


def _call_of(agent: str, one: dict[str, Any]) -> ToolCall:
    given = one["call"]
    at = _instant(one.get("at"))
    earlier = tuple(
        EarlierCall(
            call=_call_of(agent, {"call": other.get("call", other)}), at=_instant(other.get("at")) or at or _NOW
        )
        for other in one.get("earlier") or ()
    )
    state = CallState(at=at, earlier=earlier) if earlier or at is not None else None
    return ToolCall(server=agent, tool=given["tool"], arguments=given.get("arguments") or {}, state=state)


_ONLY = re.compile(r"\b(?:only|nowhere else)\b", re.IGNORECASE)
_PERMITS = re.compile(r"\b(?:may|can|allowed|free to|fine|ok|okay|welcome|nothing else|nothing more)\b", re.IGNORECASE)
_OFFSET = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?[+-]\d\d:\d\d")
_NOW = datetime(2026, 3, 4, 12, 0, tzinfo=UTC)


def _instant(text: str | None) -> datetime | None:
    found = None if text is None else datetime.fromisoformat(text)
    return found if found is None or found.tzinfo is not None else found.replace(tzinfo=UTC)


def _done(*words: str, expected: tuple[int, ...] = (0,)) -> str:
    found = CliRunner().invoke(command, words)
    if found.exit_code not in expected:
        raise SystemExit(f"retouch {' '.join(words)}: {found.output}{found.exception or ''}")
    return found.stdout


def main() -> None:
    """Print the table, and with --show what was not read."""
    directory, *more = sys.argv[1:]
    only = more[more.index("--only") + 1] if "--only" in more else ""
    found = list(outcomes(Path(directory), only, together="--together" in more))
    print("| sentences | number | read | refused | misread | suggestions | offered first | offered |")
    print("|---|---|---|---|---|---|---|---|")
    for kind in KINDS:
        known = [one for one in found if one.kind == kind]
        counts = Counter(one.outcome for one in known)
        suggested = sum(bool(one.suggested) for one in known)
        first = sum(one.right[:1] == (True,) for one in known)
        offered = sum(any(one.right) for one in known)
        print(
            f"| {kind} | {counts.total()} | {counts['read']} | {counts['refused']} | {counts['misread']} "
            f"| {suggested} | {first} | {offered} |"
        )
    for one in found if "--show" in more else ():
        if one.outcome != "read" or only:
            lines = (
                f"{'right' if right else 'wrong'}: {line}" for line, right in zip(one.suggested, one.right, strict=True)
            )
            print(f"{one.outcome} {one.kind} {one.agent}: {one.text}", *one.whys, *one.means, *lines, sep="\n    ")


if __name__ == "__main__":
    main()
