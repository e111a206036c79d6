"""Reads files inside a container by the `docker` program: one call for a list, and one for many files."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from retouch.locate.errors import LocateError
from retouch.locate.identity import FileRef
from retouch.locate.sources.paths import fits, inside_root
from retouch.locate.values import FileSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

_TIMEOUT_S = 120
_AT_ONCE = 200  # files per call, because the output is held in memory
# Prints each file as a line "<bytes>" and its bytes, or "-1" if it is missing. Only uses POSIX and busybox.
_READ = 'while IFS= read -r f; do if [ -f "$f" ] && [ -r "$f" ]; then wc -c < "$f"; cat "$f"; else echo -1; fi; done'
_STAT = 'while IFS= read -r f; do stat -c "%s %Y" "$f" 2>/dev/null || echo; done'


class DockerFiles(FileSource):
    """The files below a directory of a running container, which must have `sh`, `find`, `stat`, `wc` and `cat`."""

    def __init__(self, container: str, root: str) -> None:
        self._ref = FileRef.parse(str(FileRef(container=container, path=root)))

    @property
    def root(self) -> str:
        """The directory as `docker:<container>:<absolute path>`."""
        return str(self._ref)

    def list(self, pattern: str, skip: Collection[str] = ()) -> Sequence[str]:
        """Return the files that match `pattern`, sorted, without those in directories of `skip`.

        Raises:
            LocateError: docker, the container or the directory does not exist.
        """
        folders = [word for name in skip for word in ("-o", "-path", f"*/{name.strip('/')}")]
        pruned = ["-type", "d", "(", *folders[1:], ")", "-prune", "-o"] if folders else []
        named = ["-name", pattern.rpartition("/")[2]] if "/" not in pattern else []
        out = self._exec(["find", ".", *pruned, "-type", "f", *named, "-print0"])
        paths = (path.removeprefix("./") for path in out.decode("utf-8", "surrogateescape").split("\0") if path)
        # because names are passed as lines
        return sorted(path for path in paths if fits(path, pattern) and "\n" not in path)

    def read(self, ref: str) -> bytes:
        """Return the bytes of one file.

        Raises:
            LocateError: the file cannot be read, or is not below the directory.
        """
        for _, data in self.read_all([ref]):
            return data
        raise LocateError(f"{ref!r} cannot be read in {self.root!r}.", hint="Check that it exists and is readable.")

    def read_all(self, refs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield each file of `refs` with its bytes, in order. Missing files are skipped."""
        for start in range(0, len(refs), _AT_ONCE):
            some = refs[start : start + _AT_ONCE]
            yield from _pieces(some, self._exec(["sh", "-c", _READ], stdin=_lines(some)))

    def stat(self, ref: str) -> tuple[int, int] | None:
        """Return size in bytes and modification time in ns (whole seconds). None if the file does not exist."""
        return self.stat_all([ref]).get(ref)

    def stat_all(self, refs: Sequence[str]) -> Mapping[str, tuple[int, int]]:
        """Return the result of `stat` for each existing file of `refs`."""
        lines = self._exec(["sh", "-c", _STAT], stdin=_lines(refs)).decode().split("\n")
        seen = {ref: line.split() for ref, line in zip(refs, lines, strict=False) if line}
        return {ref: (int(size), int(changed_s) * 1_000_000_000) for ref, (size, changed_s) in seen.items()}

    def commit(self) -> str | None:
        """Return the commit that is checked out in the container. None if there is none."""
        ended = self._run(["git", "rev-parse", "HEAD"], b"")
        return ended.stdout.decode("ascii", "replace").strip() or None if ended.returncode == 0 else None

    def _exec(self, words: Sequence[str], *, stdin: bytes = b"") -> bytes:
        ended = self._run(words, stdin)
        if ended.returncode:
            first_line = ended.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
            hint = "'docker ps' lists running containers. The directory must be an absolute path inside the container."
            raise LocateError(f"{self.root!r} cannot be read: {first_line or f'status {ended.returncode}'}", hint=hint)
        return ended.stdout

    def _run(self, words: Sequence[str], stdin: bytes) -> subprocess.CompletedProcess[bytes]:
        command = ["docker", "exec", "-i", "-w", self._ref.path, self._ref.container or "", *words]
        try:
            return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=_TIMEOUT_S)
        except FileNotFoundError:
            hint = "Install docker, or copy the sources to a local directory."
            raise LocateError(
                f"{self.root!r} needs the program 'docker', which is not on the PATH.", hint=hint
            ) from None
        except subprocess.TimeoutExpired:
            hint = "Check that the docker daemon works: 'docker ps' should respond at once."
            raise LocateError(f"docker did not respond within {_TIMEOUT_S} s for {self.root!r}.", hint=hint) from None


def _lines(refs: Sequence[str]) -> bytes:
    return "".join(f"./{inside_root(ref)}\n" for ref in refs).encode("utf-8", "surrogateescape")


def _pieces(refs: Sequence[str], out: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    for ref in refs:
        line_end = out.index(b"\n", at)
        size = int(out[at:line_end])
        at = line_end + 1
        if size >= 0:
            yield ref, out[at : at + size]
            at += size
