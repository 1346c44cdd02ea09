"""Each built-in format: the speed of a check of all its rules, compared with a syntax check."""

import subprocess

from conversions import COFFER, Conversion
from table import per_second, rounded, system, turns

WORKERS = (2, 1)
YARDSTICK = "json_verify -q"


def all_checks():
    """Yields the commands that take turns on a backup of each format."""
    for workers in WORKERS:
        yield Conversion("check", f"coffer validate --jobs {workers}", [COFFER, "validate", "--jobs", str(workers), "{file}"])
    yield Conversion("check", YARDSTICK, ["json_verify", "-q"], reads_standard_input=True, is_yardstick=True)


def format_names():
    """Returns the names of the built-in formats."""
    listed = subprocess.run([COFFER, "formats"], check=True, capture_output=True, text=True).stdout
    return [line.split()[0] for line in listed.splitlines() if line and not line[0].isspace()]


def documents():
    """Yields titles, formats, and options of `coffer generate`. Indentation is cheap to read, so one format also comes without."""
    for name in format_names():
        yield name, name, []
        if name == "ev-charging-tracker":
            yield f"{name}, compact", name, ["--compact"]


def formats_page(size, results):
    """Returns the page with the full result."""
    return "\n".join([
        "# Built-in formats", "",
        "The latest results of `Benchmarks/compare.sh --table formats`; `--publish` writes this page. Every backup is valid, so all rules are checked",
        "completely; `json_verify`, yajl's own checker, checks only the syntax. Formats without a collection, whose files can't grow, are omitted.", "",
        *formats_comparison(size, results), "",
    ])


def formats_comparison(size, results):
    """Yields the table, for its own page and for docs/performance.md: a row for each `(name, count of bytes, measurements)` of `results`."""
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
