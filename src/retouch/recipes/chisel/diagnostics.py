"""Reads the output of hardware tools: their error messages, and whether an equivalence command returned a verdict.

The tools are scalac, sbt, mill, the JVM, firtool, Verilator and Yosys with its front ends (SymbiYosys, EQY).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch._lib.process.output import MOST_CHARS, MOST_LINES, trimmed
from retouch.recipes.chisel.proofs import DONE, REPORTS

if TYPE_CHECKING:
    from retouch._lib.process.launch import CommandResult

_PREFIX = r"^\s*(?:\x1b\[[0-9;]*m)*(?:\[[\w.-]+\]\s*)*(?:\[error\]\s*)?(?:\x1b\[[0-9;]*m)*"
_PLACE = r"[^\s:\[\]]*[\w$)]\.(?:scala|sc|fir|mlir|s?vh?|v)"
_LOCATED = re.compile(rf"{_PREFIX}(?:{_PLACE}:\d+(?::\d+)?: (?:fatal )?error\b|{_PLACE}:\d+: ERROR\b)", re.MULTILINE)
_ERROR = re.compile(
    rf"{_PREFIX}(?:"
    rf"{_PLACE}:\d+(?::\d+)?: (?:fatal )?error\b"  # scalac, mill, firtool
    rf"|{_PLACE}:\d+: ERROR\b"  # Yosys, while it reads
    r"|%Error(?:-\w+)?:"  # Verilator
    r"|ERROR: "  # Yosys
    r"|-- (?:\[E\d+\] )?[\w ]*Error: "  # Scala 3
    r"|error: "  # small compilers, and equivalence scripts
    r"|(?:Exception in thread \"[^\"]*\" |Caused by: )?(?:[a-z_$][\w$]*\.)+[\w$]*[A-Z]\w*(?:Exception|Error)\b"
    r"|Counterexample|counterexample"
    r"|SAT proof finished - model found: FAIL"
    r")"
    rf"|^\s*\[error\] {_PLACE}:\d+(?::\d+)?: ",  # sbt
    re.MULTILINE,
)
_STACK = re.compile(r"^\s*(?:\[error\]\s*)?(?:at |\.\.\. \d+ (?:more|elided))")
_OWN = re.compile(r"\((\w+\.scala:\d+)\)")
_LIBRARY = re.compile(r"at (?:chisel3|firrtl|scala|java|jdk|sbt|mill)[.$]")
_FIRST_OF_A_REPORT, _LAST_LINES, _AFTER = 40, 6, 4

_STOPPED = re.compile(
    r"There is insufficient memory for the Java Runtime|java\.lang\.OutOfMemoryError|No space left on device"
    r"|JAVA_HOME is (?:not (?:set|defined)|set to an invalid)|Unable to (?:locate a Java Runtime|access jarfile)"
    r"|Error downloading|unresolved dependenc|UnresolvedDependency|ResolveException|ServerAlreadyBootingException"
    r"|^\S+: (?:line )?\d+: \S+: (?:command )?not found$|^env: .*: No such file"
    r"|cannot execute: required file not found",
    re.MULTILINE,
)
_UNDECIDED = re.compile(
    r"\bUNKNOWN\b|\bTIMEOUT\b|\bTIMED[ -]?OUT\b|\bundecided\b|\binconclusive\b"
    r"|Reached maximum number of time steps -> proof failed|SAT temporal induction proof finished - maximum",
    re.IGNORECASE,
)
_REFUTED = re.compile(
    r"model found: FAIL|counterexample|trace file|Unproven \$equiv|unproven \$equiv|proof did fail|Assert failed"
    r"|^error: ",
    re.IGNORECASE | re.MULTILINE,
)
_YOSYS_ERROR = re.compile(r"^(?:\S+:\d+: )?ERROR: (?!.*(?:unproven \$equiv|proof did fail|Found \d+))", re.MULTILINE)
_TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.MULTILINE)
_CRASH = re.compile(r"^Traceback \(most recent call last\):|^Exception in thread |^\S*: cannot open|can't open file")
_MADE = re.compile(r"^make(?:\[\d+\])?: \*\*\* .*\bError (\d+)", re.MULTILINE)
_DENIED = re.compile(
    r"SAT proof finished - model found: FAIL|-> proof failed|SAT temporal induction proof finished - maximum"
    r"|^(?:.*[:=] ?)?(?:UNKNOWN|TIMEOUT|UNDECIDED|INCONCLUSIVE)[.!]?$|proof did fail",
    re.MULTILINE,
)
_UNPROVEN = re.compile(r"\bOf those cells \d+ are proven and (\d+) are unproven\b")


def diagnostics(output: str) -> list[str]:
    """Return the error messages of hardware tools in `output`, each once, with the lines that belong to it.

    For example `Alu.scala:33: error: not found: value x` with the line of code and the mark under it.
    """
    lines = [line.rstrip() for line in output.splitlines()]
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        if _ERROR.match(line):
            report = _report(lines, number)
            found.setdefault(re.sub(r"\s+", " ", report), report)
    return list(found.values())


def _report(lines: list[str], start: int) -> str:
    kept = [lines[start]]
    for line in lines[start + 1 : start + _FIRST_OF_A_REPORT]:
        if _ERROR.match(line) or not line.strip():
            break
        if _STACK.match(line):
            if _OWN.search(line) and not _LIBRARY.search(line):
                kept.append(line)
        elif len(kept) > _AFTER:
            break
        else:
            kept.append(line)
    return "\n".join(kept)


def relevant_output(output: str) -> str:
    """Return the error messages of `output` and its last lines, within a limit. Without any, the usual excerpt.

    Lines that only contain the word "error", such as the name of a file that is compiled, do not count.
    """
    lines = [line.rstrip() for line in output.splitlines()]
    reports = diagnostics(output)
    if not reports or len(lines) <= MOST_LINES:
        return trimmed(output)
    kept: list[str] = []
    for report in reports:
        if sum(len(one) + 1 for one in kept) + len(report) > MOST_CHARS * 3 // 4 and kept:
            kept.append(f"[... {len(reports) - len(kept)} more errors ...]")
            break
        kept.append(report[: MOST_CHARS // 2])
    last = [line for line in lines[-_LAST_LINES:] if line.strip() and not any(line in report for report in kept)]
    return "\n".join([*kept, "[...]", *last])[:MOST_CHARS]


def first_error(output: str) -> str:
    """Return the first line of the first error message, or the first line of the output, or ""."""
    reports = diagnostics(output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    telling = next((line for line in lines if "error" in line.lower()), lines[0] if lines else "")
    return reports[0].partition("\n")[0].strip() if reports else telling


def compile_doubt(result: CommandResult) -> str:
    """Return why a compile command returned no verdict on the fix, or "". For example, the JVM ran out of memory.

    If it failed, an error in a source file is always a verdict. If it succeeded in spite of one, its exit status is
    that of another program, for example of `tee` in a pipe.
    """
    if located := _LOCATED.search(result.output):
        line = _line_of(result.output, located.end())
        return f"exited with 0, but reported an error: {line}" if result.good else ""
    if result.good:
        return ""
    if found := _STOPPED.search(result.output):
        return f"did not do its work: {found[0].strip()}"
    return _crash_of_script(result.output)


def _crash_of_script(output: str) -> str:
    """Return the last line of a Python script's own crash, or "" if it reports an error of another program."""
    crash = _TRACEBACK.search(output)
    if crash is None or "CalledProcessError" in output or any(map(_ERROR.match, output[: crash.start()].splitlines())):
        return ""
    return f"crashed: {output.rstrip().splitlines()[-1].strip()}"


def equivalence_doubt(result: CommandResult) -> str:
    """Return why an equivalence command returned no verdict on the hardware, or "".

    Exit status 1 means that the hardware differs. Any other failure, a solver that gave up, an error of Yosys, and a
    script that crashed mean nothing. Success means nothing if the output states that nothing was proved.
    """
    output, status = result.output, _status(result)
    if result.good:
        denied = _denied(output)
        return f"exited with 0, but its output says otherwise: {denied}" if denied else ""
    if status is not None and status > 1:
        return f"exited with {status}, and only 1 means that the hardware differs"
    for pattern, what in ((_STOPPED, "did not do its work"), (_YOSYS_ERROR, "failed"), (_CRASH, "crashed")):
        if found := pattern.search(output):
            return f"{what}: {_line_of(output, found.start())}"
    undecided = _UNDECIDED.search(output)
    if undecided and not _REFUTED.search(output):
        return f"did not decide: {_line_of(output, undecided.start())}"
    return ""


def _denied(output: str) -> str:
    """Return the line of a successful equivalence command's output that states that nothing was proved, or ""."""
    if done := list(DONE.finditer(output)):
        last = done[-1]
        return "" if last[1] == "PASS" else _line_of(output, last.start())
    found = _DENIED.search(output)
    counts = list(_UNPROVEN.finditer(output))
    if counts and int(counts[-1][1]):  # of the last step
        found = counts[-1]
    return _line_of(output, found.end()) if found else ""


def equivalence_output(output: str) -> str:
    """Return the relevant output of an equivalence command, after the lines that show how far it can be believed."""
    short = relevant_output(output)
    last = [found[-1] for pattern in (*REPORTS, _DENIED, _UNPROVEN) if (found := list(pattern.finditer(output)))]
    lines = dict.fromkeys(_line_of(output, found.end(), most=MOST_CHARS // 6) for found in last)
    missing = [line for line in lines if line not in short]
    return "\n".join([*missing, "[...]", short]) if missing else short


def _status(result: CommandResult) -> int | None:
    """Return the exit status in the convention that 1 is a difference. SymbiYosys and EQY use 2, make hides it."""
    if done := DONE.findall(result.output):
        return 1 if done[-1][0] == "FAIL" else 3
    if result.status == 2 and (made := _MADE.findall(result.output)):
        return int(made[0])
    return result.status


def _line_of(output: str, start: int, *, most: int = 200) -> str:
    begin = output.rfind("\n", 0, start) + 1
    return output[begin:].partition("\n")[0].strip()[:most]
