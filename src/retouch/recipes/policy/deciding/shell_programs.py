"""What is known of programs that shells run: which only read, which run another command, and which only take data.

A program is only known to read if none of its options can write, delete or run anything: `sort` without `-o`, `find`
without `-delete` and `-exec`, `git log` without `--output`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_INTERPRETER_NAMES = """
    python python3 python2 pypy pypy3 ruby perl php lua luajit tclsh wish expect irb ghci scala groovy julia
    rscript r osascript node nodejs deno bun tsx ts-node jshell elixir iex erl raku sbcl guile racket clojure
"""
_UNKNOWN_NAMES = """
    eval alias unalias trap bind complete compgen compopt enable hash fc history let read mapfile readarray
    unset coproc parallel at batch crontab systemd-run fish csh tcsh nu elvish xonsh pwsh powershell cmd
    powershell.exe cmd.exe wsl gdb lldb ed ex emacs emacsclient script scriptreplay telnet nc ncat socat builtin
    zmodload autoload functions setopt zle sched m4 bc dc gnuplot octave logsave pry
"""
_GIT_NAMES = """
    add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-ref-format
    checkout checkout-index cherry cherry-pick citool clean clone commit commit-graph commit-tree config
    count-objects credential daemon describe diff diff-files diff-index diff-tree difftool fast-export
    fast-import fetch fetch-pack filter-branch filter-repo for-each-ref for-each-repo format-patch fsck gc grep
    gui hash-object help http-push index-pack init instaweb interpret-trailers lfs log ls-files ls-remote
    ls-tree mailinfo mailsplit maintenance merge merge-base merge-file merge-index merge-tree mergetool mktag
    mktree multi-pack-index mv name-rev notes p4 pack-objects pack-refs prune prune-packed pull push quiltimport
    range-diff read-tree rebase reflog remote repack replace replay request-pull rerere reset restore rev-list
    rev-parse revert rm send-email send-pack shortlog show show-branch show-index show-ref sparse-checkout stage
    stash status stripspace submodule subtree svn switch symbolic-ref tag unpack-objects update-index update-ref
    update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree
    --version --help
"""
_GIT_RUNNING_NAMES = """
    filter-branch filter-repo difftool mergetool send-email instaweb daemon for-each-repo citool gui svn p4
    credential merge-index fast-import
"""
_READING_NAMES = """
    ls cat head tail wc pwd echo true false whoami id uname uptime ps df du free which type grep egrep fgrep cut
    tr diff cmp comm basename dirname realpath readlink md5sum sha1sum sha256sum sha512sum cksum nl tac rev fold
    jq seq sleep test [ printenv cd locale lsof pgrep nproc lscpu lsblk getconf tty groups stat expr
"""
_PACKAGE_COMMAND_NAMES = """
    install add i uninstall remove rm list show search info update upgrade freeze outdated view ls
"""
_DATA_NAMES = """
    rm rmdir mkdir touch cp mv ln chmod chown chgrp kill pkill killall export pushd popd curl wget gzip gunzip
    bzip2 xz zip unzip tee truncate dd shred unlink install mktemp md5 shasum sha1 clear reset history man help
    info open code ping dig host nslookup traceroute ip ifconfig netstat ss mount umount adduser useradd userdel
    passwd service systemctl journalctl dmesg top htop iostat vmstat less more sed column paste join split
    csplit base64 xxd od hexdump iconv dos2unix patch gh glab hub yq xmllint pbcopy pbpaste say source . cal
    date hostname uniq set shift wait jobs bg fg disown umask ulimit getopts exit return break continue : [[
"""
_COMMON_NAMES = """
    make cmake ninja gradle mvn npx bunx uvx docker podman docker-compose kubectl helm terraform ansible go
    rustc gcc g++ clang pytest tox ruff mypy eslint prettier tsc jest vitest git ssh scp rsync tar aws gcloud az
    heroku vercel su dpkg rpm
"""
SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ksh", "ash"})
# What takes a program as a text, or reads it: only a file that is named is known to be one.
INTERPRETERS = frozenset(_INTERPRETER_NAMES.split())
UNKNOWN = frozenset(_UNKNOWN_NAMES.split())
EDITORS = frozenset({"vi", "vim", "nvim", "view", "vimdiff", "nano", "pico", "micro", "hx"})
AWKS = frozenset({"awk", "gawk", "mawk", "nawk"})
DATABASES = frozenset({"psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "mongosh", "mongo", "redis-cli", "duckdb"})


@dataclass(frozen=True)
class Options:
    """The options of a program that runs another one: single letters and long names, with and without a value.

    `operands`: how many words come before the command. `sets`: variables may come before it.
    """

    flags: str = ""
    valued: str = ""
    long_flags: tuple[str, ...] = ()
    long_valued: tuple[str, ...] = ()
    operands: int = 0
    sets: bool = False


WRAPPERS: Mapping[str, Options] = {
    "sudo": Options(
        "AbEHknPSisKvB",
        "ugpCrtThDRU",
        ("--background", "--preserve-env", "--set-home", "--non-interactive", "--stdin", "--login", "--shell"),
        ("--user", "--group", "--prompt", "--chdir", "--host", "--chroot", "--close-from"),
        sets=True,
    ),
    "doas": Options("nsL", "uC"),
    "env": Options("i0v", "uC", ("--ignore-environment", "--null"), ("--unset", "--chdir"), sets=True),
    "nohup": Options(),
    "time": Options("pvaq", "of", ("--portability", "--verbose", "--append"), ("--output", "--format")),
    "command": Options("p"),
    "exec": Options("cl", "a"),
    "nice": Options("0123456789", "n", (), ("--adjustment",)),
    "ionice": Options("t", "cnpPu"),
    "setsid": Options("cfw", "", ("--wait", "--fork", "--ctty")),
    "stdbuf": Options("", "ioe"),
    "timeout": Options("fpv", "ks", ("--foreground", "--preserve-status"), ("--kill-after", "--signal"), operands=1),
    "xargs": Options(
        "0rtpxo", "adEILnPsRJ", ("--null", "--no-run-if-empty", "--verbose"), ("--max-args", "--max-procs")
    ),
    "caffeinate": Options("disu", "tw"),
    "chronic": Options("ev"),
    "unbuffer": Options("p"),
    "busybox": Options(),
    "toybox": Options(),
}
SSH = Options("46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopPQRSWw")

GIT_GLOBAL = Options(
    "pP",
    "C",
    ("--no-pager", "--paginate", "--bare", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects"),
    ("--git-dir", "--work-tree", "--namespace"),
)
GIT_COMMANDS = frozenset(_GIT_NAMES.split())
GIT_RUNNING = frozenset(_GIT_RUNNING_NAMES.split())
GIT_RUNNING_OPTION = re.compile(
    r"--exec|--upload-pack|--receive-pack|--open-files-in-pager|--extcmd|--ext-diff|--textconv|--config|--template|"
    r"ext::|--filters|--editor|--strategy=|--remote="
)
GIT_RUNNING_SETTING = re.compile(
    r"alias|!|command|editor|pager|helper|textconv|driver|hook|fsmonitor|program|tool|path|include|url|cmd"
)
GIT_SETTING = re.compile(
    r"(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.quotepath|commit\.gpgsign)=[\w .@+-]*", re.IGNORECASE
)

_ANY = "a^"
_GIT_WRITES = r"--o(?:u|ut|utp|utpu|utput.*)?(?:=.*)?$|--ext|--textc|--open"
# Programs that only read, each with what none of its arguments may begin with.
_READING: Mapping[str, str] = {
    **dict.fromkeys(
        _READING_NAMES.split(),
        _ANY,
    ),
    "printf": "-v",
    "file": r"-\w*C|--c",
    "rg": r"--pre|--hostname-bin|--search-zip|-\w*z",
    "sort": r"-[^-]*[oT]|--o|--t|--c|--f",
    "tree": r"-\w*[oR]|--out",
    "find": r"-(?:exec|ok|delete|fprint|fls|files0)",
    "uniq": r"[^-]|-[^cdiuDz]",
    "date": r"[^+-]|-[^uRI]|--[^uri]",
    "hostname": r"[^-]|-[^Ifdis]",
    **dict.fromkeys(("git status", "git rev-parse", "git ls-files", "git ls-tree", "git describe"), _GIT_WRITES),
    **dict.fromkeys(("git log", "git diff", "git show", "git blame", "git shortlog", "git whatchanged"), _GIT_WRITES),
    **dict.fromkeys(
        ("git rev-list", "git merge-base", "git name-rev", "git for-each-ref", "git count-objects"), _GIT_WRITES
    ),
    **dict.fromkeys(("git check-ignore", "git show-ref", "git cherry", "git range-diff", "git --version"), _GIT_WRITES),
    "git grep": rf"{_GIT_WRITES}|-\w*O",
    "git branch": r"[^-]|-[^arv]|--(?!list$|show-current$|all$|remotes$|verbose$)",
    "git tag": r"[^-]|-[^ln]|--(?!list$)",
    "git remote": r"[^-]|-[^v]|--(?!verbose$)",
    "git stash list": _GIT_WRITES,
    "git worktree list": _ANY,
    "git config --get": _ANY,
    "git config --list": _ANY,
    "pip list": r"--log",
    "pip show": r"--log",
    "pip freeze": r"--log",
    "npm ls": _ANY,
    "npm list": _ANY,
    "docker ps": _ANY,
    "docker images": _ANY,
    "docker logs": _ANY,
}
READING: Mapping[str, re.Pattern[str]] = {name: re.compile(pattern) for name, pattern in _READING.items()}
PLAIN_SED = re.compile(
    r"(?:\d+|\$)(?:,(?:\d+|\$))?[pd]|s([/|,#])(?:(?!\1)[^\\]|\\[^\n])*\1(?:(?!\1)[^\\]|\\[^\n])*\1[gIip\d]*"
)

_PACKAGES = "pip pip3 pipx npm pnpm yarn apt apt-get brew dnf yum pacman apk snap gem cargo conda poetry uv composer"
_PACKAGE_COMMANDS = frozenset(_PACKAGE_COMMAND_NAMES.split())
INSTALLERS = frozenset(_PACKAGES.split())
# Programs that never take an argument for a command.
_DATA = frozenset(_DATA_NAMES.split())
WELL_KNOWN = (
    _DATA
    | SHELLS
    | INTERPRETERS
    | INSTALLERS
    | EDITORS
    | AWKS
    | frozenset(WRAPPERS)
    | frozenset(name.partition(" ")[0] for name in READING)
    | frozenset(_COMMON_NAMES.split())
) - frozenset({".", "[[", ":", "info", "help", "exec", "set", "open", "say", "source", "r"})


def takes_only_data(program: str, first: str) -> bool:
    """Return whether a program, by its name and its first argument, never takes an argument for a command."""
    if program in INSTALLERS:
        return first in _PACKAGE_COMMANDS
    return program in _DATA or program == "git"
