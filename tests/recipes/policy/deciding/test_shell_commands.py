"""Which programs a command line runs: as bash runs it, or nothing is said."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from retouch.recipes.policy.deciding.shell_commands import commands_run
from retouch.recipes.policy.deciding.shell_tests import judge_runs, run_examples

BASH = shutil.which("bash") or ""
NO_BASH = pytest.mark.skipif(not BASH, reason="bash is not installed, so that its way to read a text is not compared")
RECORDED = ("sudo", "git", "rm", "npm", "ls", "grep", "kill", "make", "tool")
REAL = ("bash", "sh", "env", "xargs", "nohup", "nice", "timeout", "find", "cat", "touch")
PIECES = [
    *("sudo", "git", "push", "rm", "-rf", "npm", "ls", "grep", "make", "tool", "kill", "x", "a=1", "$a", "env"),
    *("nohup", "xargs", "bash -c", "sh -c", "nice", "timeout 1", "find . -exec", "{}", "+", "\\;", "command"),
    *("exec", "time", "'", '"', "`", "$(", ")", "(", "{", "}", "|", "||", "&&", "&", ";", "\n", "\\", "\\\n"),
    *("#", "!", ">", ">>", "<", "2>&1", "<<E\n", "\nE\n", "<<'E'\n", "<<<", "if", "then", "else", "fi"),
    *("for x in", "while", "do", "done", "$x", "$'a'", "''", '""', "s'u'do", "s\\udo", "/usr/bin/", "./"),
    *("*", "?", "[", "[[", "]]", "{a,sudo}", "~", "=", "eval", "alias", "$((", "))", "${a}", "${a:-x}"),
    *("case x in", "esac", "x()", "function", "<(", "cat", "$@", "$", ",", ":", "true", "echo sudo"),
]
UNKNOWN = {
    "a program by a variable": "$CMD x",
    "a program by a pattern": "/usr/bin/s*do x",
    "a program by a substitution": "$(echo sudo) x",
    "a text that is run": "eval 'sudo x'",
    "a function": "f() { sudo x; }; f",
    "an alias": "alias x='sudo y'",
    "a trap": "trap 'sudo x' EXIT",
    "a shell that reads what another command writes": "echo 'sudo x' | bash",
    "a shell that reads a text": "bash <<< 'sudo x'",
    "an interactive shell": "bash",
    "a program for an interpreter": "python3 -c 'x'",
    "a program that an interpreter reads": "python3 - <<E\nx\nE",
    "code of node": "docker run node node -e 'x'",
    "a command for another host that is not literal": "ssh host $CMD",
    "a setting that runs something": "git -c core.pager='sudo x' log",
    "an alias of git": "git unknown",
    "an option of git that runs something": "git rebase --exec 'sudo x' main",
    "a search of git that runs something": "git bisect run sudo x",
    "an editor that is a command": "EDITOR='sudo x' git commit",
    "a prompt that is a command": "PROMPT_COMMAND='sudo x'",
    "arithmetic": "echo $((a))",
    "a quote that is not closed": "echo 'a",
    "a line that goes on": "ls |",
    "a text that is not complete": "cat <<E\nx",
    "history": "echo !sudo",
    "letters that are no blanks": "ls\u00a0x",
    "a carriage return": "ls\rsudo x",
    "a command of zsh by its path": "=sudo x",
    "a comment that is none in an interactive zsh": "ls # ; sudo x",
    "a condition that runs what follows in zsh": "[[ -f x ]] { sudo x }",
    "a program in a script of sed": "sed '1e sudo x' f",
    "a program in a script of awk": "awk 'BEGIN { system(\"x\") }'",
    "words that are joined again": "docker exec web x \"su''do y\"",
    "an archive that runs something": "tar -xf a --to-command='x'",
}


@pytest.mark.parametrize("why", UNKNOWN)
def test_nothing_is_said_of_what_shells_read_in_different_ways_or_may_run(why: str) -> None:
    assert commands_run(UNKNOWN[why]) is None


@pytest.mark.parametrize(
    ("text", "programs"),
    [
        ("cd app && rm -rf node_modules && npm ci", ["cd", "rm", "npm"]),
        ("sudo -u ada env A=1 nice -n 5 make", ["sudo", "env", "=", "nice", "make"]),
        ('bash -lc "sudo ls; git log"', ["bash", "sudo", "ls", "git"]),
        ("echo $(git log `whoami`)", ["whoami", "git", "echo"]),
        ("find . -name '*.py' -exec rm {} + -exec wc {} \\;", ["find", "rm", "wc"]),
        ("ls | xargs -0 -n 1 kill -9", ["ls", "xargs", "kill"]),
        ("ssh -p 22 host 'sudo reboot'", ["ssh", "sudo", "reboot"]),
        ("python3 -m pip install x", ["python3", "pip"]),
        ("if [ -f x ]; then ./run.sh; fi", ["[", "run.sh"]),
        ('for f in *.txt; do mv "$f" old; done > log', ["mv", "="]),
        ("diff <(sort a) <(sort b) 2>/dev/null", ["sort", "sort", "diff"]),
        ("docker exec web sh -c 'sudo x'", ["docker", "sh", "sudo", "x"]),
        ("cat <<'E' > x.sh\nsudo y\nE\nls", ["cat", "ls"]),
    ],
)
def test_what_a_command_line_runs_is_known(text: str, programs: list[str]) -> None:
    found = commands_run(text)
    assert found is not None
    assert programs == [one.program for one in found]


def _stubs(folder: Path) -> Path:
    """Return a directory with programs that record how they are called, and with those that run others."""
    programs = folder / "bin"
    programs.mkdir()
    for name in RECORDED:
        stub = programs / name
        stub.write_text(f'#!{BASH}\nprintf "%s\\0" {name} "$@" >> "$RECORD"\nprintf "\\1" >> "$RECORD"\n')
        stub.chmod(0o755)
    for name in REAL:
        real = shutil.which(name)
        if real:
            (programs / name).symlink_to(real)
    return programs


def _run(text: str) -> list[list[str]]:
    """Return the calls of the recorded programs when bash runs a text."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        record = folder / "record"
        surroundings = {
            "PATH": str(_stubs(folder)),
            "RECORD": str(record),
            "HOME": name,
        }
        work = folder / "work"
        work.mkdir()
        try:
            subprocess.run(
                [BASH, "-c", text],
                cwd=work,
                env=surroundings,
                timeout=3,
                capture_output=True,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return []
        if not record.exists():
            return []
        return [call.split("\0")[:-1] for call in record.read_text(errors="replace").split("\1")[:-1]]


@NO_BASH
@settings(max_examples=120, deadline=None, suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much))
@example("sudo rm x")
@example("echo `sudo ls`")
@example("bash -c 'git push \"$(sudo ls)\"'")
@example("cat <<E\n$(sudo ls)\nE\n")
@example("ls | xargs sudo; env a=1 sudo ls & wait")
@example("for x in sudo; do $x ls; done")
@example("if true; then sudo ls; fi")
@example("x=sudo; command $x ls")
@given(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map(" ".join)
    | st.lists(st.sampled_from(PIECES)).map("".join)
)
def test_all_that_bash_runs_is_read(text: str) -> None:
    found = commands_run(text)
    if found is None or "\0" in text:
        return
    for program, *args in _run(text):
        same = [one for one in found if one.program == program]
        assert any(
            program == "git" or not all(word.exact for word in one.args) or [word.text for word in one.args] == args
            for one in same
        ), (text, program, args)


READS = [
    "ls -la ~/shop",
    'grep -rn "rm -rf" scripts/',
    "ps aux | sort | uniq -c",
    "git log --oneline",
    "find . -name x",
    "sed -n 1,5p f",
]
WRITES = {
    "a file that output goes to": "cat x > y",
    "a file that sort writes": "sort -o x y",
    "a file that uniq writes": "uniq x y",
    "a file that git writes": "git log --output=x",
    "a file that git writes, shortened": "git diff --outpu=x",
    "files that find deletes": "find . -name x -delete",
    "files that find lists": "find . -fprint x",
    "files that another program deletes": "find . -exec rm {} +",
    "a file that sed changes": "sed -i s/a/b/ f",
    "a file that a script of sed writes": "sed 's/a/b/w x' f",
    "a file that awk writes": "awk '{print > \"x\"}' f",
    "a branch that is deleted": "git branch -D x",
    "a branch that is made": "git branch x",
    "the time": "date 01010000",
    "a program of the directory": "./ls",
    "a program that rg runs": "rg --pre ./x y",
    "an option that is not known": "sort $X",
    "a program behind a path of the line": "PATH=. ls",
    "a substitution": "ls $(touch x)",
    "another program": "ls; touch x",
    "a stash": "git stash",
}


@pytest.mark.parametrize("text", READS)
def test_it_is_known_what_only_reads(text: str) -> None:
    assert judge_runs(text, ["(reads)"]).surely


@pytest.mark.parametrize("why", WRITES)
def test_what_may_write_is_no_reading(why: str) -> None:
    assert not judge_runs(WRITES[why], ["(reads)"]).surely


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("sudo", "SUDO ls"),
        ("sudo", "/usr/bin/sudo ls"),
        ("sudo", "rsync -a --rsync-path='sudo rsync' a b"),
        ("sudo", "make CMD='sudo ls'"),
        ("sudo", "tmux send-keys 'sudo ls'"),
        ("rm -rf", "rm x -f --recursive"),
        ("rm -rf", "sudo rm -fr /"),
        ("rm -rf", "rm $X"),
        ("rm -rf", "busybox rm -rf x"),
        ("git push --force", "git push origin +main"),
        ("git push --force", "git -C app push --forc origin main"),
        ("git push --force", "git push --mirror"),
        ("git push --force", "git push --force-with-lease"),
        ("git push", "echo push | xargs git"),
        ("git commit --no-verify", "git commit -anm x"),
        ("git push <main>", "git push"),
        ("git push <main>", "git push origin HEAD:refs/heads/main"),
        ("git push <main>", "git push --all"),
        ("git push <main>", "git push origin $BRANCH"),
        ("git push <main>", "git push origin 'refs/heads/*'"),
        ("npm install", "npm --prefix web i"),
        ("pip install", "python3.11 -m pip install x"),
        ("apt install", "apt-get install -y jq"),
    ],
)
def test_a_command_is_found_in_every_spelling(pattern: str, text: str) -> None:
    assert judge_runs(text, [pattern]).possibly


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("sudo", "cat docs/sudo.md"),
        ("sudo", "git commit -m 'no sudo'"),
        ("sudo", "apt-get install sudo"),
        ("rm -rf", "rm notes.txt"),
        ("rm -rf", "grep -rf patterns rm"),
        ("git push --force", "git push origin feature/x"),
        ("git push <main>", "git push origin fix/main-menu"),
        ("git push <release*>", "git push -u origin feature/release"),
        ("git commit --amend", "git commit -m 'Do not --amend'"),
        ("npm install", "npm test"),
        ("git rebase", "git log --oneline"),
    ],
)
def test_another_command_is_not_taken_for_it(pattern: str, text: str) -> None:
    assert not judge_runs(text, [pattern]).possibly


def test_each_example_of_a_pattern_is_such_a_command() -> None:
    patterns = ("sudo", "git push --force", "rm -rf", "git push <release*>", "(reads)", "npm run build")
    for pattern in patterns:
        (first, *_) = run_examples([[pattern]])
        assert judge_runs(first, [pattern]).possibly
