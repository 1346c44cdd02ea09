"""The measurements as Markdown."""

import os
import platform

from defects import DAMAGES, PLANTED, SEEDS
from peers import COFFER, SCHEMA, SYNTAX


def page(backup, measurements, discoveries):
    """Returns the page with the full result."""
    return "\n".join([
        "# Coffer compared with other programs", "",
        "The latest results of `Benchmarks/compare.sh`; `--publish` writes this page. Figures vary by tens of percent between runs, the ratios of commands",
        "that take turns by less: `times json_verify` and the share of simdjson's speed (DOM or On Demand, whichever is faster) are medians of the rounds'",
        "ratios.", "",
        "![Throughput and peak memory](compare.svg)", "",
        *comparison(backup, measurements, discoveries), "",
        "## Findings", "",
        "The number of files that a program rejected. A damaged file violates the grammar of RFC 8259 or has invalid text in strings. For every kind of",
        f"defect that `coffer generate` can plant there are {len(SEEDS)} files with one each, which syntax checkers (–) can't find.", "",
        *_discovered(discoveries), "",
        "## Checks", "",
        *_checked(measurements), "",
        "The schema validators get the rules of `coffer formats ev-charging-tracker --print-rules` as plain JSON Schema, draft 2020-12, without Coffer's own",
        "keywords, and with branches joined that only set severities; RapidJSON gets the same in draft 4, the only one that it knows.",
        "Programs that would need too much memory or time, estimated from two small files, are skipped and marked. A version is that of the program, of its",
        "Python package, or of its C library.", "",
    ])


def comparison(backup, measurements, discoveries):
    """Yields the table, for its own page and for docs/performance.md."""
    yield f"{described(backup)}. Seconds are medians of {turns(measurements)}, with the fastest and the slowest in brackets."
    yield ""
    yield "| program | version | checks | seconds | MB/s | times json_verify | share of simdjson's speed | peak MiB | damage found | defects found |"
    yield "| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    found = {discovery.peer.name: discovery for discovery in discoveries}
    yardstick = next((each for each in measurements if each.peer.is_yardstick and each.runs), None)
    reference = min((each for each in measurements if each.peer.is_reference and each.runs), key=lambda each: each.seconds, default=None)
    for kind in (COFFER, SCHEMA, SYNTAX):
        of_kind = [each for each in measurements if each.peer.kind == kind]
        for each in sorted(of_kind, key=lambda each: each.seconds if each.runs else float("inf")):
            yield "| " + " | ".join(_cells(each, backup, yardstick, reference, found.get(each.peer.name))) + " |"


def described(backup):
    return f"A backup of {backup.stat().st_size / 1e6:,.0f} MB in the page cache, {system()}"


def system():
    return f"{platform.system()} {platform.machine()} with {os.cpu_count()} cores"


def turns(measurements):
    counts = {len(each.runs) for each in measurements if each.runs}
    return " to ".join(str(count) for count in sorted({min(counts), max(counts)})) + " turns" if counts else "no turns"


def _cells(measurement, backup, yardstick, reference, discovery):
    yield f"`{measurement.peer.name}`"
    yield measurement.peer.version
    yield measurement.peer.kind
    if measurement.runs:
        yield timing(measurement)
        yield per_second(measurement, backup.stat().st_size)
        yield f"{measurement.times_as_fast_as(yardstick):.2f}" if yardstick else "–"
        yield f"{measurement.times_as_fast_as(reference):.0%}" if reference else "–"
        yield rounded(measurement.peak / 2**20)
    else:
        yield from (measurement.note, "–", "–", "–", "–")
    yield f"{sum(discovery.damages.values())} of {len(DAMAGES)}" if discovery else "–"
    yield f"{sum(discovery.planted.values())} of {len(PLANTED) * len(SEEDS)}" if discovery and discovery.planted else "–"


def timing(measurement):
    return f"{measurement.seconds:.2f} ({measurement.fastest:.2f}–{measurement.slowest:.2f})"


def per_second(measurement, size):
    return rounded(size / measurement.seconds / 1e6)


def rounded(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _discovered(discoveries):
    yield "| | files | " + " | ".join(f"`{discovery.peer.name}`" for discovery in discoveries) + " |"
    yield "| --- | ---: |" + " ---: |" * len(discoveries)
    for damage in DAMAGES:
        yield f"| damage: {damage} | 1 | " + " | ".join(f"{discovery.damages[damage]:d}" for discovery in discoveries) + " |"
    for kind in PLANTED:
        counts = (str(discovery.planted.get(kind, "–")) for discovery in discoveries)
        yield f"| defect: {kind} | {len(SEEDS)} | " + " | ".join(counts) + " |"


def _checked(measurements):
    yield "| program | checks | can't check |"
    yield "| --- | --- | --- |"
    for measurement in measurements:
        peer = measurement.peer
        lacks = peer.lacks or ("any rule" if peer.kind == SYNTAX else "")
        yield f"| `{peer.name}` | {peer.checks} | {lacks} |"
