"""A Dask cluster of real processes on loopback: its scheduler and its workers are killed, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from retouch.cli.root import command as root
from retouch.errors import BadInput
from retouch.fleet.dask_cluster import ClusterRates, RatesPlugin, cut_was_told, expect_safe
from tests.fleet.chat_server import ChatServer
from tests.fleet.program import SHARED, rows
from tests.fleet.scenes import PROJECT
from tests.waiting import MOST_S, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from retouch import Prompt

RECORDS, AT_ONCE = 40, 4
TRACE = "0af7651916cd43dd8448eb211c80319c"


@dataclass(kw_only=True)
class Cluster:
    """A scheduler and its workers, as processes of this machine."""

    directory: Path
    scheme: str = "tcp"
    more: tuple[str, ...] = ()
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list["subprocess.Popen[bytes]"])
    address: str = ""

    def start(self, workers: int) -> None:
        found = self.directory / f"scheduler{len(self.processes)}-{self.scheme}.json"
        where = ["--host", f"{self.scheme}://127.0.0.1", "--port", "0", "--scheduler-file", str(found)]
        self._start("dask_scheduler", *where, "--no-dashboard", *self.more)
        self.address = wait_until(lambda: address_in(found))
        for _ in range(workers):
            self._start("dask_worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", *self.more)

    def _start(self, name: str, *words: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{name}", *words]
        own = {**os.environ, "DASK_TEMPORARY_DIRECTORY": str(self.directory / "dask")}
        own["XDG_CACHE_HOME"] = str(self.directory / f"machine{len(self.processes)}")
        with (self.directory / f"{name}.log").open("ab") as log:
            self.processes.append(subprocess.Popen(command, cwd=PROJECT, env=own, stdout=log, stderr=log))

    def close(self) -> None:
        for one in self.processes:
            one.kill()
            one.wait()
        self.processes.clear()


def address_in(scheduler_file: Path) -> str:
    """Return the address that a scheduler has written, "" as long as it has not."""
    with suppress(OSError, ValueError):
        return json.loads(scheduler_file.read_bytes())["address"]
    return ""


def answered(prompt: Prompt) -> str:
    """Answer with the name, which is the whole prompt."""
    return json.dumps({"name": prompt.user})


def words(directory: Path, server: ChatServer, cluster: Cluster, *more: str, fleet: str = "") -> list[str]:
    """Return the arguments of the command."""
    (directory / "rows.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows(RECORDS)))
    (directory / "shared.json").write_text(json.dumps(SHARED))
    found = ["fleet", "run", "extract", str(directory / "rows.jsonl"), "--shared", str(directory / "shared.json")]
    found += [
        "-o",
        fleet or str(directory / "fleet"),
        "--shard-size",
        "8",
        "--concurrency",
        str(AT_ONCE),
    ]
    found += ["--model", server.spec, "--cluster", cluster.address, "--max-output-tokens", "60", "--json", *more]
    return found


def started(
    directory: Path, server: ChatServer, cluster: Cluster, *more: str, fleet: str = ""
) -> subprocess.Popen[bytes]:
    """Start the command."""
    command = [sys.executable, "-m", "retouch", *words(directory, server, cluster, *more, fleet=fleet)]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def certificates(directory: Path) -> tuple[str, ...]:
    """Make a certificate, and return the options of Dask's programs that name it."""
    openssl = shutil.which("openssl") or pytest.skip("no openssl to make a certificate")
    own, cert = str(directory / "key.pem"), str(directory / "cert.pem")
    make = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=fleet", "-days", "1"]
    subprocess.run([*make, "-keyout", own, "-out", cert], check=True, capture_output=True)
    return "--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", own


def finished(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    out, error = process.communicate(timeout=MOST_S)
    assert out, error.decode()
    found = json.loads(out)
    assert "status" in found, found
    return found


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


@pytest.mark.slow
@pytest.mark.concurrency
def test_a_killed_worker_and_a_killed_scheduler_lose_nothing_and_pay_at_most_their_calls_in_flight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second cluster is one with certificates, which the command needs to use it. It sends spans."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    with ChatServer(answered, answers=0) as server, closing(Cluster(directory=tmp_path)) as cluster:
        cluster.start(2)
        process = started(tmp_path, server, cluster)
        server.hold_after(6)
        cluster.processes[1].kill()
        server.hold_after(len(server.calls) + 6)
        cluster.processes[0].kill()  # the scheduler
        server.let_go()
        out, error = process.communicate(timeout=MOST_S)
        assert b"same command again" in out + error, (out, error)
        assert process.returncode
        before = len(server.calls)
        cluster.close()
        cluster.scheme, cluster.more = "tls", certificates(tmp_path)
        monkeypatch.setenv("RETOUCH_TRACE", "console")  # of the worker, and of the commands that follow
        cluster.start(1)
        refused = CliRunner().invoke(root, words(tmp_path, server, cluster))
        assert "no tls_ca_file" in refused.output
        for name, path in zip(("CA_FILE", "CLIENT__CERT", "CLIENT__KEY"), cluster.more[1::2], strict=True):
            monkeypatch.setenv(f"DASK_DISTRIBUTED__COMM__TLS__{name}", path)
        monkeypatch.setenv("TRACEPARENT", f"00-{TRACE}-b7ad6b7169203331-01")  # of the command alone
        found = finished(started(tmp_path, server, cluster, "--max-cost", "1000", "--rpm", "6000"))
        assert ("verified", RECORDS) == (found["status"], found["records"]["verified"])
        assert RECORDS == len({*server.calls})
        assert before < len(server.calls) <= RECORDS + 3 * AT_ONCE  # of two workers, and of one that the test ended
        assert server.paid_usd <= found["usage"]["limit"]["used"] + 1e-9
        spans = (tmp_path / "dask_worker.log").read_text(encoding="utf-8")
        assert '"name": "invoke_workflow shard 0000' in spans
        assert {f'"trace_id": "0x{TRACE}",'} == {line.strip() for line in spans.splitlines() if '"trace_id"' in line}


@pytest.mark.slow
@pytest.mark.concurrency
@pytest.mark.filterwarnings("default")  # botocore's and flask's own
def test_a_cluster_of_machines_that_share_only_an_object_store_loses_nothing_and_pays_within_the_limit(
    s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each worker has a disk of its own. One is killed; its shard goes on from the log in the store."""
    pytest.importorskip("distributed", reason="the extra 'cluster' is not installed")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "here"))
    with ChatServer(answered, 0.2, answers=0) as server, closing(Cluster(directory=tmp_path)) as cluster:
        cluster.start(2)
        first = started(tmp_path, server, cluster, "--max-cost", "3", "--rpm", "6000", fleet=s3)
        server.hold_after(6)
        cluster.processes[1].kill()
        server.let_go()
        found = finished(first)
        assert ("exhausted", 3) == (found["status"], first.returncode)
        used = found["usage"]["limit"]["used"]
        assert server.paid_usd <= used + 1e-9
        assert used <= 3 + 1e-9
        found = finished(started(tmp_path, server, cluster, "--max-cost", "1000", fleet=s3))
        assert ("verified", RECORDS) == (found["status"], found["records"]["verified"])
        assert RECORDS == len({*server.calls})
        # in flight when the worker was killed, with the rows of the last two seconds that were not in the store
        assert len(server.calls) <= RECORDS + AT_ONCE * 11
        again = finished(started(tmp_path, server, cluster, fleet=s3))
        assert (found["records"], found["usage"]) == (again["records"], again["usage"])
    assert 2 <= len([*tmp_path.glob("machine*/retouch/fleets/*")]), "two workers had shards"
    assert not (tmp_path / "fleet").exists()


@pytest.mark.parametrize(
    ("cluster", "fleet", "what"),
    [
        ("tcp://10.0.0.5:8786", "s3://bucket/fleet", "accepts code from everybody"),
        ("tls://10.0.0.5:8786", "fleet", "is a directory of this machine"),
        ("http://127.0.0.1:8786", "fleet", "not an address of a scheduler"),
        ("tls://scheduler", "fleet", "not an address of a scheduler"),
    ],
)
def test_a_cluster_that_strangers_can_use_is_refused(cluster: str, fleet: str, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        expect_safe(cluster, fleet)
    expect_safe("tcp://127.0.0.1:8786", "fleet")
    expect_safe("tls://10.0.0.5:8786", "s3://bucket/fleet")


def test_the_plugin_of_the_scheduler_keeps_one_set_of_rates_for_a_fleet(tmp_path: Path) -> None:
    async def use() -> None:
        plugin = RatesPlugin(directory=tmp_path)
        found, _, cuts, *_ = await plugin.take("a", (0.0, 0.0), 0)
        assert (True, 0) == (found > 1, cuts)
        await plugin.refused("a", 0, 0.0)
        await plugin.refused("a", 0, 0.0)  # of the same burst
        assert 1 == (await plugin.take("a", (0.0, 0.0), 0))[2]
        assert 0 == (await plugin.take("b", (0.0, 0.0), 0))[2]

    asyncio.run(use())


def test_a_refusal_voids_the_permits_of_all_workers_of_a_fleet_at_once(tmp_path: Path) -> None:
    rates = ClusterRates(place=tmp_path / "fleet")
    name, sent = str(rates.place), list[str]()

    class Scheduler:
        """The two parts of Dask's scheduler that the plugin uses: worker "b" has left it."""

        stream_comms = dict.fromkeys(("a", "c"))

        def worker_send(self, worker: str, message: dict[str, Any]) -> None:
            sent.append(worker)
            cut_was_told(**{key: value for key, value in message.items() if key != "op"})

    async def use(base: int) -> None:
        plugin = RatesPlugin(directory=tmp_path / str(base), scheduler=Scheduler(), base=base)
        first = (await plugin.take(name, (0.0, 0.0), 0, worker="a"))[2]
        assert first == (await plugin.take(name, (0.0, 0.0), 0, worker="b"))[2]
        assert not rates.was_cut(first)
        for _ in range(2):  # a burst is told once
            await plugin.refused(name, first, 0.0)
        assert rates.was_cut(first)
        assert not rates.was_cut((await plugin.take(name, (0.0, 0.0), 0, worker="a"))[2])

    asyncio.run(use(0))
    asyncio.run(use(10_000))  # a scheduler that was started again begins with other numbers
    assert ["a", "a"] == sent
