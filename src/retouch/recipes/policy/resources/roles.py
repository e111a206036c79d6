"""The roles of tool arguments. Only paths, URLs and identifiers name resources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Category: TypeAlias = Literal["path", "url", "identifier", "opaque"]


@dataclass(frozen=True, kw_only=True)
class Role:
    """The use of an argument. `servers` are the servers that the role is for, None for any.

    `guidance` explains when to choose the role, for the author of annotations.
    """

    name: str
    category: Category
    description: str
    guidance: str = ""
    servers: tuple[str, ...] | None = None

    @property
    def resource(self) -> bool:
        """True if values of this role name resources that a policy decides about."""
        return self.category != "opaque"


def _path(name: str, description: str, guidance: str) -> Role:
    return Role(name=name, category="path", description=description, guidance=guidance)


FILE_NAME = "file-name"
_ALL = (
    _path("read-path", "a file or folder that is read", "Also for searching, listing and asking for details."),
    _path("write-path", "a file or folder that is made or changed", "Add read-path when the old content matters."),
    _path("delete-path", "a file or folder that is removed", "The source of a move is read and deleted."),
    _path("write-history", "a repository whose history grows or changes", "Commits, merges, tags, stashes."),
    _path("delete-history", "a repository that loses history", "Deleting branches or tags, resets, dropped stashes."),
    Role(
        name="fetch-url",
        category="url",
        description="an address that is fetched",
        guidance="The whole address, not a part of it.",
    ),
    Role(
        name="git-remote-url",
        category="url",
        description="a remote repository, as an address or the name of a remote",
        guidance="Whatever git is told to talk to.",
        servers=("git",),
    ),
    Role(
        name="github-owner",
        category="identifier",
        description="the person or organisation that owns a repository",
        servers=("github",),
    ),
    Role(name="github-repo", category="identifier", description="the name of a repository", servers=("github",)),
    Role(name="proxy-domain", category="identifier", description="a domain that a proxy opens"),
    Role(name="branch-name", category="opaque", description="the name of a branch"),
    Role(
        name=FILE_NAME,
        category="opaque",
        description="the name of a file in a directory that the server or another argument chooses",
        guidance="A name that is a path, such as ../x, is denied.",
    ),
    Role(name="commit-message", category="opaque", description="the message of a commit"),
    Role(name="email-address", category="opaque", description="who gets a message"),
    Role(name="email-body", category="opaque", description="the text of a message"),
    Role(name="share-permission", category="opaque", description="who may do what with something shared"),
    Role(
        name="executes-code",
        category="opaque",
        description="code, a command or a query that the tool runs",
        guidance="A shell, an interpreter, a database, a remote machine: whatever does what the text says.",
    ),
    Role(name="none", category="opaque", description="nothing that a policy looks at"),
)

OWN_ROLE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")  # the name of a role that users declare
ROLES = {role.name: role for role in _ALL}
PATH_ROLES = frozenset(role.name for role in _ALL if role.category == "path")
URL_ROLES = frozenset(role.name for role in _ALL if role.category == "url")
RESOURCE_ROLES = frozenset(role.name for role in _ALL if role.resource)
