"""tau2-bench: which sentences of its retail and airline policies can be enforced without a model.

    git clone https://github.com/sierra-research/tau2-bench
    python benchmarks/policy_tau2.py tau2-bench

The tools are read from the Python modules of the domains and annotated without a model. Every sentence is given to the
grammar alone, with the tools of its domain: it is read as rules, recognised as background, or refused with a reason. A
refused sentence is the error CLAUSE_NOT_ENFORCED of a run. With --sentences, each one is printed. Nothing is stored.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retouch.recipes.policy import Policy
from retouch.recipes.policy.annotating.proposing import annotations_of
from retouch.recipes.policy.annotating.sources import tools_of_file
from retouch.recipes.policy.english.background import is_background
from retouch.recipes.policy.english.clauses import clauses_of
from retouch.recipes.policy.english.compiling import compile_clauses

if TYPE_CHECKING:
    from collections.abc import Iterator

DOMAINS = ("retail", "airline")


def frame(repository: str, domain: str) -> Policy:
    """Return the tools of a domain, without rules."""
    with tempfile.TemporaryDirectory() as found:
        file = Path(found) / "tools.py"
        file.write_text(_stored(repository, f"src/tau2/domains/{domain}/tools.py"), encoding="utf-8")
        tools = tools_of_file(file)
    value: Any = {"semantics": 3, "home": "/home/ada", "rules": [], "servers": {}, "timeZone": "UTC"}
    return Policy.of_json({**value, "annotations": annotations_of(domain, tools)})


def outcomes(text: str, tools: Policy) -> Iterator[tuple[str, str, str]]:
    """Yield each sentence of a text, what becomes of it, and the reason if it is refused."""
    clauses = clauses_of(text)
    read = compile_clauses(text, tools)
    refused: dict[int, dict[str, str]] = {clause.line: {} for clause in clauses}
    for clause, why in read.refused.items():
        refused[clause.line][clause.text] = why
    silent = {clauses[sentence.number - 1].text for sentence in read.silent}
    for clause in clauses:
        why = refused[clause.line].get(clause.text)
        kind = "refused" if why is not None else "background" if clause.text in silent else "read as rules"
        yield clause.text, "background" if is_background(clause) else kind, why or ""


def _stored(repository: str, path: str) -> str:
    return subprocess.run(
        ["git", "-C", repository, "show", f"HEAD:{path}"], capture_output=True, text=True, check=True
    ).stdout


def main() -> None:
    """Print the table."""
    repository, *more = sys.argv[1:]
    print("| domain | tools | sentences | read as rules | background | refused |")
    print("|---|---|---|---|---|---|")
    for domain in DOMAINS:
        tools = frame(repository, domain)
        found = list(outcomes(_stored(repository, f"data/tau2/domains/{domain}/policy.md"), tools))
        counts = Counter(kind for _, kind, _ in found)
        kinds = " | ".join(str(counts[kind]) for kind in ("read as rules", "background", "refused"))
        print(f"| {domain} | {len(tools.tools)} | {len(found)} | {kinds} |")
        for text, kind, why in found if more else ():
            print(f"  {kind}: {text} {why and f'({why})'}")


if __name__ == "__main__":
    main()
