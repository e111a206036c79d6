"""Commands as people name them: "sudo", "git push --force", "force pushes", "push to main", "install with pip".

Each phrase is the patterns of commands (`deciding/shell_tests.py`) that it stands for. A program that is also an
ordinary word, such as `find` or `make`, is only taken for one after "run", or in backticks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from retouch.recipes.policy.deciding.shell_programs import GIT_COMMANDS, SHELLS, WELL_KNOWN, WRAPPERS
from retouch.recipes.policy.english.words.lexicon import word_set
from retouch.recipes.policy.language.values import RUN_PATTERN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ORDINARY = word_set(
    "make test find open kill sort cut touch file date time sleep head tail more less install split join say "
    "watch patch service mount screen clear reset code help wait top set shift export return exit continue "
    "break type which who yes true false host dig history man view column paste stat env info ip tree command "
    "locale groups source go at id"
)
_PROGRAMS = (
    WELL_KNOWN | {"reboot", "shutdown", "halt", "poweroff", "mkfs", "fdisk", "iptables", "ufw", "nc", "telnet"}
) | (
    {
        "crontab",
        "doas",
        "pkexec",
        "at",
        "systemctl",
        "nmap",
        "brew",
        "flutter",
        "dotnet",
        "bazel",
        "just",
        "alembic",
        "ng",
    }
    | {
        "psql",
        "mysql",
        "sqlite3",
        "mongosh",
        "redis-cli",
        "ftp",
        "sftp",
        "curl",
        "wget",
        "pre-commit",
        "rubocop",
        "rspec",
    }
    | {"rake", "bundle", "mix", "sbt", "lerna", "turbo", "nx", "vite", "webpack", "black", "flake8", "pylint", "isort"}
)
_STOPS = word_set(
    "on in to from with without unless when if for before after anything everything any all the a an my our "
    "your it them this that these those until till while during at by as is are be else other only into of "
    "again yourself except because since here there ever twice once directly through via locally manually "
    "automatically"
)
_INSTALLS_BY: Mapping[str, tuple[str, ...]] = {
    "pip": ("pip install", "uv pip install", "uv add"),
    "pip3": ("pip install",),
    "npm": ("npm install",),
    "yarn": ("yarn add", "yarn install"),
    "pnpm": ("pnpm install", "pnpm add"),
    "apt": ("apt install",),
    "apt-get": ("apt install",),
    "brew": ("brew install",),
    "cargo": ("cargo add", "cargo install"),
    "gem": ("gem install",),
    "dnf": ("dnf install",),
    "yum": ("yum install",),
    "pacman": ("pacman -S", "pacman -U"),
    "apk": ("apk add",),
    "snap": ("snap install",),
    "conda": ("conda install",),
    "poetry": ("poetry add", "poetry install"),
    "uv": ("uv add", "uv pip install"),
    "composer": ("composer require", "composer install"),
    "go": ("go get", "go install"),
}
_ALL_INSTALLS = (
    *dict.fromkeys(one for found in _INSTALLS_BY.values() for one in found),
    *(
        "pipx install",
        "bun add",
        "bun install",
        "dpkg -i",
        "rpm -i",
        "rpm -U",
        "bundle add",
        "bundle install",
        "mamba install",
    ),
    *(
        "flatpak install",
        "port install",
        "choco install",
        "winget install",
        "scoop install",
        "nix-env -i",
        "uv sync",
        "zypper install",
    ),
    *(
        "easy_install",
        "dotnet add",
        "flutter pub add",
        "mix deps.get",
        "pdm add",
        "pdm install",
        "micromamba install",
        "cabal install",
    ),
    *(
        "uv tool install",
        "volta install",
        "asdf install",
        "nvm install",
        "pipenv install",
        "poetry update",
        "helm install",
        "sdk install",
    ),
)
_FORCED = ("git push --force",)
_AMENDED = ("git commit --amend",)
_REBASED = ("git rebase", "git pull --rebase", "git pull -r")
_PUSHED = ("git push", "git send-pack", "git subtree")
_COMMITTED = ("git commit", "git commit-tree", "git cherry-pick", "git revert", "git am")
_MERGED = ("git merge", "git pull", "gh pr merge", "glab mr merge")
_BRANCHES_GONE = ("git branch -d", "git branch -D", "git branch --delete", "git push --delete")
_UNVERIFIED = tuple(f"git {one} --no-verify" for one in ("commit", "push", "merge", "am", "rebase"))
_REWRITTEN = (
    *(*_FORCED, *_AMENDED, *_REBASED, "git reset --hard", "git reset --soft", "git reset --mixed", "git reset --keep"),
    *("git filter-branch", "git replace", "git update-ref", "git branch -f", "git fast-import"),
)
_NAMED: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        (
            r"(?:(?:git )?force[- ]?push(?:es|ing)?|(?:git )?push(?:es|ing)? (?:with )?(?:-f|--force|force)|"
            r"forced? (?:a )?push(?:es)?)"
            r"(?: (?:to )?(?:any(?:thing| branch(?:es)?)|the remote|origin|remotes|branches|commits))?"
        ),
        _FORCED,
    ),
    (r"(?:git )?rebas(?:e|es|ing)(?: anything| branches)?", _REBASED),
    (
        (
            r"(?:git )?amend(?:s|ing|ed)?(?: (?:old |existing |published |any )*commits?)?|(?:git )?commit(?:s|"
            r"ting)? --amend"
        ),
        _AMENDED,
    ),
    (r"(?:git )?hard[- ]resets?|reset(?:ting)? --?hard|hard[- ]resetting", ("git reset --hard",)),
    (
        (
            r"(?:rewrit(?:e|es|ing)|chang(?:e|ing)|alter(?:ing)?|touch(?:ing)?) (?:the |any |our |my )?"
            r"(?:git |commit )?history|"
            r"history rewrit(?:es|ing)"
        ),
        _REWRITTEN,
    ),
    (
        (
            r"(?:git )?push(?:es|ing)?(?: (?:with git|via git|(?:anything|code|commits?|changes?|branches|to "
            r"(?:the remote|origin))"
            r"(?: to (?:the remote|git(?:hub|lab)?|origin))?))?"
        ),
        _PUSHED,
    ),
    (r"(?:git )?commit(?:s|ting)?(?: (?:anything|code|changes|with git))?", _COMMITTED),
    (r"git merg(?:e|es|ing)|merg(?:e|es|ing)(?: (?:branches|anything|with git|pull requests))?", _MERGED),
    (
        r"(?:delet(?:e|ing)|remov(?:e|ing)) (?:(?:a|any|the|git|remote|local) )*branch(?:es)?|branch deletions?",
        _BRANCHES_GONE,
    ),
    (
        r"--no-verify|skip(?:ping)? (?:git |commit |pre-commit |pre-push )*hooks (?:with|via|using) --no-verify",
        _UNVERIFIED,
    ),
    (
        (
            r"(?:anything|commands?|programs?|something|stuff|things|scripts?) (?:with|as|using|under|that "
            r"(?:needs?|uses?|requires?)) sudo(?: rights| privileges| access)?|sudo(?: commands?)?|with sudo"
        ),
        ("sudo",),
    ),
    (
        (
            r"(?:(?:anything|commands?|programs?|something|stuff|things) )?as (?:the )?(?:root|superuser|"
            r"administrator)(?: user)?"
        ),
        ("sudo", "su", "doas", "pkexec", "run0", "runuser"),
    ),
    (r"git (?:operations?|actions?|stuff)", ("git",)),
    (r"recursive deletes?|recursive (?:rm|deletion)s?|rm -rf", ("rm -rf",)),
)
_NO_PROGRAMS = word_set("command exec env time script process function builtin")
_INSTALL = re.compile(
    r"(?:install(?:s|ing)?|add(?:s|ing)?|(?:any )?installation of|installs of) (?:any |new |more |other |"
    r"additional |python |node |npm |system |"
    r"third-party )*(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|modules?|software|anything)(?: (?:with|"
    r"using|via|through) (?P<with>.+))?"
    r"|(?P<tools>[a-z0-9, -]+?) install(?:s|ing|ations?)?(?: anything)?"
    r"|(?:any )?(?:new )+(?:packages?|dependenc(?:y|ies)|librar(?:y|ies))"
)
_BRANCHES = re.compile(
    r"(?:git )?(?P<force>force[- ]?)?push(?:es|ing)?(?: (?:straight|directly|anything|code|commits?|"
    r"changes))* (?:straight |directly )?(?:in)?to (?P<names>.+)"
)
_BRANCH = re.compile(r"(?:the |a |any |our )?(?:branch )?[`'\"]?(?P<name>[\w./*-]+?)[`'\"]?(?: branch(?:es)?)?")
_PREFIXES = word_set("release hotfix")
_LISTED = re.compile(r",? (?:and|or|nor) |, |/(?=[a-z]+\b)")


def patterns_of(text: str, *, after_run: bool) -> tuple[str, ...]:
    """Return the patterns of the commands that a phrase names, in any spelling. () if it names something else, too.

    `after_run`: it follows "run" or "execute", or comes before "command".

    Example:
        >>> patterns_of("git status, diff and log", after_run=False)
        ('git status', 'git diff', 'git log')
        >>> patterns_of("force pushes", after_run=False), patterns_of("pushes on a button", after_run=True)
        (('git push --force',), ())
    """
    whole = _whole(text)
    if whole:
        return whole
    found: list[str] = []
    before = ""
    for item in _LISTED.split(text):
        own = _whole(item) or tuple(_literal(item, before, after_run=after_run))
        if not own:
            return ()
        found += own
        before = own[-1]
    return tuple(dict.fromkeys(found))


def _whole(text: str) -> tuple[str, ...]:
    """Return the patterns of a phrase that is not the name of a command."""
    low = re.sub(r"^(?:an?|any|the|all|every|no|more|use|using|do|doing) (?=\w)", "", text.strip().lower())
    for pattern, found in _NAMED:
        if re.fullmatch(pattern, low):
            return found
    branches = _BRANCHES.fullmatch(low)
    if branches is not None:
        return _pushed(branches["names"], forced=branches["force"] is not None)
    match = _INSTALL.fullmatch(low)
    if match is None:
        return ()
    named = match["with"] or match["tools"]
    if not named:
        return _ALL_INSTALLS
    installers = [one.strip() for one in _LISTED.split(named)]
    known = [_INSTALLS_BY.get(one, ()) for one in installers]
    return tuple(dict.fromkeys(one for found in known for one in found)) if all(known) else ()


def _pushed(text: str, *, forced: bool) -> tuple[str, ...]:
    """Return the pattern of pushes to some branches: "main or any release branch"."""
    found: list[str] = []
    for item in re.split(
        r",? (?:and|or|nor) |, ", re.sub(r"\b(or|and) (?:straight |directly )?to (?=\w)", r"\1 ", text)
    ):
        match = _BRANCH.fullmatch(item.strip())
        if match is None or match["name"] in _STOPS | {
            "remote",
            "origin",
            "production",
            "prod",
            "server",
            "repo",
            "repository",
            "github",
        }:
            return ()
        name = match["name"]
        many = name.rstrip("s") in _PREFIXES or re.search(rf"\b(?:any|all) {re.escape(name)}", item) is not None
        found += [f"<{name.rstrip('s') if many else name}*>" if many else f"<{name}>"]
    return (f"git push {' '.join(found)}{' --force' * forced}",) if found else ()


def _literal(item: str, before: str, *, after_run: bool) -> Iterator[str]:
    """Yield the pattern of a command that is written as one types it. `before` is the one before it in a list."""
    quoted = re.fullmatch(
        r"(?:the )?[`\"'\u201c](?P<text>[^`\"'\u201c\u201d]+)[`\"'\u201d](?: commands?)?", item.strip()
    )
    bare = re.sub(r"^(?:the|any|an?|bare|plain) (?=\w)|(?: commands?| calls?| invocations?)$", "", item.strip())
    named = bare != item.strip() and item.strip().endswith(("command", "commands"))
    text = quoted["text"].strip() if quoted is not None else bare
    words = text.split()
    words[:1] = [one.lower() if one.lower() in _PROGRAMS else one for one in words[:1]]
    text = " ".join(words)
    if not words or not RUN_PATTERN.fullmatch(_in_order(text)) or "<" in text:
        return
    git = before.startswith("git ") and text in GIT_COMMANDS and text not in WELL_KNOWN - {"diff", "log", "show"}
    if git and quoted is None:
        yield f"git {text}"
        return
    if quoted is None and not _is_program(words, after_run=after_run or named):
        return
    if len(words) > 4:
        return
    yield _in_order(text)


def _in_order(text: str) -> str:
    """Return a command with its options at the end, as patterns have them."""
    words = text.split()
    options = [one for one in words[1:] if one.startswith("-")]
    return " ".join([*(one for one in words if one not in options), *options])


def _is_program(words: list[str], *, after_run: bool) -> bool:
    """Return whether unquoted words are a command, and no ordinary words."""
    program, rest = words[0], words[1:]
    if not _STOPS.isdisjoint(rest) or (program not in _PROGRAMS and not program.startswith(("./", "~/", "/"))):
        return False
    if program in _NO_PROGRAMS:
        return False
    if program == "git" and rest and rest[0] not in GIT_COMMANDS:
        return False
    if program in _ORDINARY:
        return after_run and (
            not rest
            or (program in {"make", "go", "date", "kill"} and rest[0] not in {"changes", "sure", "calls", "up"})
        )
    return True


def is_permittable(pattern: str) -> bool:
    """Return whether it can be told that a command line only runs this: not what runs another command."""
    program = pattern.split(maxsplit=1)[0]
    return "<" not in pattern and program not in {*WRAPPERS, *SHELLS, "ssh", "su"}
