"""Each format that ships with Coffer: how fast all of its rules are checked, beside a check of syntax alone."""

import subprocess

from conversions import COFFER, Conversion
from table import per_second, rounded, system, turns

WORKERS = (2, 1)
YARDSTICK = "json_verify -q"


def all_checks():
    """What takes turns on a backup of each format."""
    for workers in WORKERS:
        yield Conversion("check", f"coffer validate --jobs {workers}", [COFFER, "validate", "--jobs", str(workers), "{file}"])
    yield Conversion("check", YARDSTICK, ["json_verify", "-q"], reads_standard_input=True, is_yardstick=True)


def format_names():
    """The formats that ship with Coffer."""
    listed = subprocess.run([COFFER, "formats"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line and not line[0].isspace()]


def documents():
    """What is generated: a title, a format, and options of `coffer generate`. Indentation is cheap to read: one format comes without, too."""
    for name in format_names():
        yield name, name, []
        if name == "ev-charging-tracker":
            yield f"{name}, compact", name, ["--compact"]


def formats_page(size, results):
    """The whole result, a page of its own."""
    return "\n".join([
        "# The formats that ship with Coffer", "",
        "What `Benchmarks/compare.sh --table formats` measured last; `--publish` writes this page. Every backup is valid, so that each of its rules is",
        "checked to the end; `json_verify`, yajl's own checker, looks at syntax alone. Formats without a collection, whose files can't grow, are",
        "left out.", "",
        *formats_comparison(size, results), "",
    ])


def formats_comparison(size, results):
    """The table itself, for its own page and for docs/performance.md: a row for each `(name, count of bytes, measurements)` of `results`."""
    measured = [each for _, _, measurements in results for each in measurements]
    yield f"Generated backups of {size} in the page cache, {system()}; medians of {turns(measured)}."
    yield ""
    yield "| format | " + " | ".join(f"`--jobs {workers}`, MB/s | times json_verify" for workers in WORKERS) + " | json_verify, MB/s | peak MiB |"
    yield "| --- |" + " ---: |" * (2 * len(WORKERS) + 2)
    for name, count, measurements in results:
        yield "| " + " | ".join(_cells(name, count, measurements)) + " |"


def _cells(name, count, measurements):
    *own, yardstick = measurements
    yield name
    for each in own:
        yield per_second(each, count) if each.runs else each.note
        yield f"{each.times_as_fast_as(yardstick):.2f}" if each.runs and yardstick.runs else "–"
    yield per_second(yardstick, count) if yardstick.runs else yardstick.note
    yield ", ".join(rounded(each.peak / 2**20) for each in own if each.runs)
