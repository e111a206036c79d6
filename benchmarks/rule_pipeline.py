"""The time and memory to apply a rule to many paths, against hand-written DuckDB queries in the same run.

    python benchmarks/rule_pipeline.py [--paths 1000000] [--rounds 3]

Each command is a process of its own that reads a file of paths and writes a file. The time is CPU time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from retouch.recipes.rule.exporting.code import exported
from retouch.recipes.rule.language.load import load_rule
from tables import announce, table

RULE = """\
name: pool
glob: '**/pool/*/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]/*/*_*_*.deb'
extract:
  component: {from: segment(-4)}
  day: {from: segment(-3), type: date}
  source: {from: segment(-2)}
  package: {from: filename, pattern: '^([^_]+)_[0-9]+\\.2-1_[^_]+\\.deb$'}
  major: {from: filename, pattern: '^[^_]+_([0-9]+)\\.2-1_[^_]+\\.deb$', type: integer}
  arch: {from: filename, pattern: '^[^_]+_[0-9]+\\.2-1_([^_]+)\\.deb$'}
"""
PATTERN = "^/(?:[^/]+/)*pool/([^/]+)/([0-9]{4}-[0-9]{2}-[0-9]{2})/([^/]+)/([^_/]+)_([0-9]+)[.]2-1_([^_/]+)[.]deb$"
READ = "read_csv('paths.txt', header=false, delim=chr(1), quote='', columns={'path': 'VARCHAR'})"
BY_EXPRESSION = f"""COPY (SELECT path, g.component, CAST(g.day AS DATE) AS day, g.source, g.package,
CAST(g.major AS BIGINT) AS major, g.arch FROM (SELECT path, regexp_extract(path, '{PATTERN}',
['component', 'day', 'source', 'package', 'major', 'arch']) AS g FROM {READ}) WHERE g.component <> '')
TO 'duckdb.csv' (HEADER)"""
BY_SPLITTING = f"""COPY (SELECT path, s[-4] AS component, CAST(s[-3] AS DATE) AS day, s[-2] AS source,
split_part(s[-1], '_', 1) AS package, CAST(split_part(split_part(s[-1], '_', 2), '.', 1) AS BIGINT) AS major,
split_part(split_part(s[-1], '_', 3), '.', 1) AS arch FROM (SELECT path, string_split(path, '/') AS s FROM {READ}))
TO 'split.csv' (HEADER)"""
VIEW = f"CREATE VIEW paths AS SELECT substr(path, 2) AS path FROM {READ};"
QUERY = "import duckdb, sys; c = duckdb.connect(); c.execute('SET threads = 1'); c.execute(sys.argv[1])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    announce("A million paths")
    retouch = [sys.executable, "-m", "retouch", "rule", "apply", "rule.yaml", "@paths.txt", "-o"]
    exported_query = exported(load_rule(RULE), "duckdb").rstrip().rstrip(";")
    by_export = f"{VIEW} COPY ({exported_query}) TO 'export.csv' (HEADER)"
    commands = {
        "DuckDB, regexp_extract with names": [sys.executable, "-c", QUERY, BY_EXPRESSION],
        "DuckDB, string_split, nothing checked": [sys.executable, "-c", QUERY, BY_SPLITTING],
        "DuckDB, the query of `rule export`": [sys.executable, "-c", QUERY, by_export],
        **{f"retouch rule apply, {form}": [*retouch, f"out.{form}"] for form in ("csv", "jsonl", "parquet")},
    }
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "rule.yaml").write_text(RULE, encoding="utf-8")
        with (place / "paths.txt").open("w", encoding="utf-8") as lines:
            for n in range(arguments.paths):
                lines.write(f"/data/pool/main/2024-{n % 12 + 1:02}-03/src{n % 997}/name{n}_{n % 50}.2-1_amd64.deb\n")
        results = {name: measured(command, place, arguments.rounds) for name, command in commands.items()}
        same = (place / "duckdb.csv").read_text(encoding="utf-8").splitlines()[1:]
        ours = (place / "out.csv").read_text(encoding="utf-8").splitlines()[1:]
        by_query = (place / "export.csv").read_text(encoding="utf-8").splitlines()[1:]
        assert len(same) == len(ours) == len(by_query) == arguments.paths
        assert [line.split(",")[1:] for line in same[:1000]] == [line.split(",")[1:] for line in by_query[:1000]]
        assert [line.split(",")[1:] for line in same[:1000]] == [line.split(",")[3:] for line in ours[:1000]]
    first = results["DuckDB, regexp_extract with names"][0]
    rows = [[name, seconds, seconds / first, megabytes] for name, (seconds, megabytes) in results.items()]
    print(table(("command", "CPU s", "ratio", "MB"), rows))


def measured(command: list[str], directory: Path, rounds: int) -> tuple[float, float]:
    """Return the median CPU time of a command in seconds, and its largest memory in MB."""
    times: list[float] = []
    memory = 0
    for _ in range(rounds):
        process = subprocess.Popen(command, cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        times.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss)
    return median(times), memory / 1024


if __name__ == "__main__":
    main()
