"""Ten listings that rules were not developed on, made from the published naming conventions of real data sets.

Each has the truth for every line: the wanted fields, or None if no rule must match the line. The same listings are made
each time. Their truths were written before any rule was inferred from them. Rules were only improved on the first five.
"""

from __future__ import annotations

import random
import uuid
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Line: TypeAlias = "tuple[str, dict[str, Any] | None]"
COUNT = 400


def landsat(draw: random.Random) -> Iterator[Line]:
    """Yield objects of Landsat Collection 2 (USGS, "Landsat Commercial Cloud Data Access")."""
    for _ in range(COUNT):
        day = date(2020, 1, 1) + timedelta(draw.randrange(1500))
        done = day + timedelta(draw.randrange(3, 20))
        wrs_path, wrs_row = draw.randrange(1, 234), draw.randrange(1, 120)
        satellite, sensor, level = draw.choice(("08", "09")), "oli-tirs", draw.choice(("L2SP", "L2SR"))
        tier, band = draw.choice(("T1", "T1", "T2")), draw.choice(("SR_B2", "SR_B4", "ST_B10", "QA_PIXEL"))
        scene = f"LC{satellite}_{level}_{wrs_path:03}{wrs_row:03}_{day:%Y%m%d}_{done:%Y%m%d}_02_{tier}"
        above = f"collection02/level-2/standard/{sensor}/{day.year}/{wrs_path:03}/{wrs_row:03}/{scene}"
        fields = {
            "year": day.year,
            "path": wrs_path,
            "row": wrs_row,
            "level": level,
            "acquired": day.isoformat(),
            "processed": done.isoformat(),
            "tier": tier,
            "band": band,
        }
        yield f"{above}/{scene}_{band}.TIF", fields
        if draw.random() < 0.08:
            yield f"{above}/{scene}_{draw.choice(('stac.json', 'thumb_small.jpeg', 'MTL.xml'))}", None


def balancer_logs(draw: random.Random) -> Iterator[Line]:
    """Yield access logs of AWS load balancers (Elastic Load Balancing user guide, "Access log files")."""
    accounts = [f"{draw.randrange(10**11, 10**12)}" for _ in range(3)]
    for _ in range(COUNT):
        account, region = draw.choice(accounts), draw.choice(("us-east-1", "eu-west-1", "ap-southeast-2"))
        at = datetime(2024, 1, 1) + timedelta(minutes=5 * draw.randrange(60_000))
        name = draw.choice(
            ("app.shop.50dc6c495c0c9188", "app.api-internal.9a1b2c3d4e5f6071", "net.edge.00ff11ee22dd33cc")
        )
        address = ".".join(str(draw.randrange(1, 255)) for _ in range(4))
        token = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=8))
        stem = f"{account}_elasticloadbalancing_{region}_{name}_{at:%Y%m%dT%H%MZ}_{address}_{token}"
        fields = {
            "account": account,
            "region": region,
            "date": at.date().isoformat(),
            "balancer": name,
            "address": address,
        }
        yield f"AWSLogs/{account}/elasticloadbalancing/{region}/{at:%Y/%m/%d}/{stem}.log.gz", fields
    for account in accounts:
        yield f"AWSLogs/{account}/ELBAccessLogTestFile", None


def hive_events(draw: random.Random) -> Iterator[Line]:
    """Yield files of a table that Spark wrote (Hive partitions, its names of part files)."""
    for _ in range(COUNT):
        day, hour = date(2024, 3, 1) + timedelta(draw.randrange(60)), draw.randrange(24)
        region, part = draw.choice(("eu-west-1", "us-east-2", "__HIVE_DEFAULT_PARTITION__")), draw.randrange(40)
        writer = uuid.UUID(int=draw.getrandbits(128), version=4)
        above = f"warehouse/events.db/clicks/event_date={day}/hour={hour:02}/region={region}"
        fields = {
            "event_date": day.isoformat(),
            "hour": hour,
            "region": None if region.startswith("__") else region,
            "part": part,
            "writer": str(writer),
        }
        yield f"{above}/part-{part:05}-{writer}.c000.snappy.parquet", fields
        if draw.random() < 0.06:
            yield f"{above}/{draw.choice(('_SUCCESS', '_committed_8123', '.part-0.crc'))}", None


def weekly_backups(draw: random.Random) -> Iterator[Line]:
    """Yield dumps of databases by ISO week."""
    for _ in range(COUNT):
        at = datetime(2023, 1, 2, 3) + timedelta(days=draw.randrange(700), seconds=draw.randrange(3_000))
        host, table = (
            draw.choice(("pg-prod-01", "pg-prod-02", "pg-stage-01")),
            draw.choice(("orders", "users", "audit_log")),
        )
        week = f"{at.isocalendar().year}-W{at.isocalendar().week:02}"
        fields = {"host": host, "week": week, "table": table, "date": at.date().isoformat()}
        yield f"/backups/postgres/{host}/{week}/{table}_{at:%Y-%m-%dT%H-%M-%SZ}.dump.zst", fields
        if draw.random() < 0.07:
            yield (
                f"/backups/postgres/{host}/{week}/{draw.choice(('restore-notes.txt', 'backup.lock', 'globals.sql'))}",
                None,
            )


def translations(draw: random.Random) -> Iterator[Line]:
    """Yield gettext catalogues as the GNU manual places them, for several domains."""
    locales = (
        "de",
        "fr",
        "pt_BR",
        "zh_Hans",
        "en_GB",
        "es",
        "es_MX",
        "sr_Latn",
        "ja",
        "nl",
        "uk",
        "ca",
        "he",
        "fi",
        "sv",
    )
    for _ in range(COUNT):
        app, locale = draw.choice(("admin", "auth", "contenttypes", "flatpages", "sessions")), draw.choice(locales)
        domain, ending = draw.choice(("django", "djangojs")), draw.choice(("po", "mo"))
        fields = {"app": app, "locale": locale, "domain": domain, "ext": ending}
        yield f"src/contrib/{app}/locale/{locale}/LC_MESSAGES/{domain}.{ending}", fields
        if draw.random() < 0.1:
            yield (
                f"src/contrib/{app}/{draw.choice(('__init__.py', 'apps.py', 'locale/__init__.py', 'models.py'))}",
                None,
            )


def radar(draw: random.Random) -> Iterator[Line]:
    """Yield NEXRAD Level II volumes (NOAA, Registry of Open Data on AWS)."""
    for _ in range(COUNT):
        at = datetime(2023, 4, 1) + timedelta(seconds=draw.randrange(30_000_000))
        site = draw.choice(("KTLX", "KFWS", "KDMX", "PHKI", "TJUA", "KLOT", "KAMX"))
        fields = {"site": site, "date": at.date().isoformat(), "time": f"{at:%H%M%S}"}
        yield f"{at:%Y/%m/%d}/{site}/{site}{at:%Y%m%d_%H%M%S}_V06", fields
        if draw.random() < 0.05:
            yield f"{at:%Y/%m/%d}/{site}/{site}{at:%Y%m%d_%H%M%S}_V06_MDM", None


def crawl(draw: random.Random) -> Iterator[Line]:
    """Yield files of Common Crawl (commoncrawl.org, "Get started")."""
    for _ in range(COUNT):
        crawled, start = draw.choice(
            (("2023-50", date(2023, 11, 28)), ("2024-10", date(2024, 2, 20)), ("2022-05", date(2022, 1, 16)))
        )
        at = datetime(start.year, start.month, start.day) + timedelta(seconds=draw.randrange(900_000))
        end, number = at + timedelta(hours=3), draw.randrange(900)
        kind, ending = draw.choice((("warc", "warc.gz"), ("wat", "warc.wat.gz"), ("wet", "warc.wet.gz")))
        segment = f"{1_643_000_000_000 + draw.randrange(10**11)}.{draw.randrange(10, 99)}"
        name = f"CC-MAIN-{at:%Y%m%d%H%M%S}-{end:%Y%m%d%H%M%S}-{number:05}.{ending}"
        fields = {"crawl": crawled, "segment": segment, "kind": kind, "number": number, "date": at.date().isoformat()}
        yield f"crawl-data/CC-MAIN-{crawled}/segments/{segment}/{kind}/{name}", fields
        if draw.random() < 0.05:
            yield f"crawl-data/CC-MAIN-{crawled}/{draw.choice(('warc.paths.gz', 'wet.paths.gz', 'index.html'))}", None


def invoices(draw: random.Random) -> Iterator[Line]:
    """Yield invoices of a small company."""
    for number in range(COUNT):
        day = date(2021, 1, 4) + timedelta(number * 3)
        customer = draw.choice(("Mueller-GmbH", "Acme", "Nordlicht-AG", "Weber-und-Soehne", "Kaya-KG", "Bosch"))
        kind = draw.choice(("RE", "RE", "RE", "GS"))
        fields = {
            "year": day.year,
            "quarter": (day.month + 2) // 3,
            "kind": kind,
            "number": f"{day.year}-{number:05}",
            "customer": customer,
            "date": day.isoformat(),
        }
        above = f"Buchhaltung/Rechnungen/{day.year}/Q{(day.month + 2) // 3}"
        yield f"{above}/{kind}-{day.year}-{number:05}_{customer}_{day}.pdf", fields
        if draw.random() < 0.08:
            yield f"{above}/{draw.choice(('Thumbs.db', 'Übersicht.xlsx', 'Notizen.docx', '~$Notizen.docx'))}", None


def climate(draw: random.Random) -> Iterator[Line]:
    """Yield files of CMIP6 (the data reference syntax of the Earth System Grid Federation)."""
    models = (("NCAR", "CESM2"), ("MPI-M", "MPI-ESM1-2-LR"), ("CSIRO", "ACCESS-ESM1-5"), ("BCC", "BCC-CSM2-MR"))
    for _ in range(COUNT):
        activity, experiment = draw.choice(
            (("CMIP", "historical"), ("ScenarioMIP", "ssp585"), ("ScenarioMIP", "ssp126"))
        )
        institution, model = draw.choice(models)
        member, table = f"r{draw.randrange(1, 12)}i1p1f{draw.randrange(1, 3)}", draw.choice(("Amon", "day", "Omon"))
        variable, grid = draw.choice(("tas", "pr", "tos", "psl")), draw.choice(("gn", "gr", "gr1"))
        version = date(2019, 1, 1) + timedelta(draw.randrange(900))
        first = draw.choice((1850, 1900, 2015, 2050))
        span = f"{first}0101-{first + 49}1231" if table == "day" else f"{first}01-{first + 49}12"
        name = f"{variable}_{table}_{model}_{experiment}_{member}_{grid}_{span}.nc"
        fields = {
            "activity": activity,
            "institution": institution,
            "model": model,
            "experiment": experiment,
            "member": member,
            "table": table,
            "variable": variable,
            "grid": grid,
            "version": version.isoformat(),
            "span": span,
        }
        above = (
            f"CMIP6/{activity}/{institution}/{model}/{experiment}/{member}/{table}/{variable}/{grid}/v{version:%Y%m%d}"
        )
        yield f"{above}/{name}", fields
        if draw.random() < 0.05:
            yield f"{above}/{draw.choice(('manifest.md5', 'README.txt', f'{name}.part'))}", None


def genomes(draw: random.Random) -> Iterator[Line]:
    """Yield alignments of the 1000 Genomes Project (its README.alignment_data)."""
    for _ in range(COUNT):
        sample = f"{draw.choice(('HG', 'NA'))}{draw.randrange(96, 21_000):05}"
        population, day = (
            draw.choice(("GBR", "YRI", "CEU", "CHB", "PUR", "TSI")),
            date(2012, 1, 1) + timedelta(draw.randrange(500)),
        )
        state, analysis = draw.choice(("mapped", "unmapped")), draw.choice(("low_coverage", "exome"))
        directory = "exome_alignment" if analysis == "exome" else "alignment"
        name = f"{sample}.{state}.ILLUMINA.bwa.{population}.{analysis}.{day:%Y%m%d}.bam"
        fields = {
            "sample": sample,
            "state": state,
            "population": population,
            "analysis": analysis,
            "date": day.isoformat(),
        }
        yield f"phase3/data/{sample}/{directory}/{name}", fields
        if draw.random() < 0.12:
            yield f"phase3/data/{sample}/{directory}/{name}.{draw.choice(('bai', 'bas'))}", None


def trails(draw: random.Random) -> Iterator[Line]:
    """Yield logs of AWS CloudTrail (its user guide, "CloudTrail log file names")."""
    accounts = ("111122223333", "444455556666", "012345678901")
    regions = ("us-east-2", "eu-central-1", "ap-northeast-1")
    for _ in range(COUNT):
        account, region = draw.choice(accounts), draw.choice(regions)
        at = datetime(2023, 6, 1) + timedelta(minutes=5 * draw.randrange(90_000))
        token = "".join(draw.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", k=16))
        above = f"AWSLogs/{account}/CloudTrail"
        fields = {"account": account, "region": region, "date": at.date().isoformat(), "token": token}
        name = f"{account}_CloudTrail_{region}_{at:%Y%m%dT%H%MZ}_{token}.json.gz"
        yield f"{above}/{region}/{at:%Y/%m/%d}/{name}", fields
        if draw.random() < 0.08:
            name = f"{account}_CloudTrail-Digest_{region}_trail_{region}_{at:%Y%m%dT%H%M%SZ}.json.gz"
            yield f"{above}-Digest/{region}/{at:%Y/%m/%d}/{name}", None


def task_logs(draw: random.Random) -> Iterator[Line]:
    """Yield logs of Apache Airflow (the default of `log_filename_template`)."""
    tasks = {"ingest_orders": ("extract", "load_raw"), "dbt_daily": ("run", "test", "docs_generate"), "ml": ("train",)}
    for _ in range(COUNT):
        dag = draw.choice(list(tasks))
        task, attempt = draw.choice(tasks[dag]), draw.choice((1, 1, 1, 2, 3))
        at = datetime(2024, 1, 1) + timedelta(hours=6 * draw.randrange(900))
        run = f"{draw.choice(('scheduled', 'scheduled', 'manual'))}__{at:%Y-%m-%dT%H:%M:%S}+00:00"
        fields = {"dag_id": dag, "run_id": run, "task_id": task, "attempt": attempt}
        yield f"logs/dag_id={dag}/run_id={run}/task_id={task}/attempt={attempt}.log", fields
        if draw.random() < 0.07:
            yield f"logs/scheduler/{at:%Y-%m-%d}/{dag}.py.log", None


def page_views(draw: random.Random) -> Iterator[Line]:
    """Yield hourly counts of Wikimedia ("Analytics/AQS/Pageviews", dumps.wikimedia.org)."""
    for _ in range(COUNT):
        at = datetime(2022, 5, 1) + timedelta(hours=draw.randrange(20_000))
        above = f"pageviews/{at:%Y}/{at:%Y-%m}"
        fields = {"date": at.date().isoformat(), "time": f"{at:%H}0000"}
        yield f"{above}/pageviews-{at:%Y%m%d-%H}0000.gz", fields
        if draw.random() < 0.12:
            yield f"{above}/projectviews-{at:%Y%m%d-%H}0000", None


DEVELOPED = (landsat, balancer_logs, hive_events, weekly_backups, translations)
KEPT = (radar, crawl, invoices, climate, genomes)
DEVELOPED_LATER = (trails, task_logs)
KEPT_LATER = (page_views,)


def made(maker: Callable[[random.Random], Iterator[Line]]) -> dict[str, dict[str, Any] | None]:
    """Return the lines of a listing with their truths."""
    return dict(maker(random.Random(maker.__name__)))
