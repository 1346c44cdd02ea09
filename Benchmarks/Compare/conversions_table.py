"""The measurements of conversions as Markdown."""

from table import described, per_second, rounded, timing, turns


def conversions_page(backup, measurements):
    """Returns the page with the full result."""
    return "\n".join([
        "# Convert and compress", "",
        "The latest results of `Benchmarks/compare.sh`; `--publish` writes this page. Figures vary by tens of percent between runs, the ratios of commands",
        "that take turns by less: `times the peer` is the median of the rounds' ratios.", "",
        *conversions_comparison(backup, measurements), "",
    ])


def conversions_comparison(backup, measurements):
    """Yields the table, for its own page and for docs/performance.md."""
    yield f"{described(backup)}; output goes to /dev/null."
    yield f"Seconds are medians of {turns(measurements)}, with the fastest and the slowest in brackets; MB/s refer to the plain JSON."
    yield "The `.lz4` is Coffer's own. A budget is the required speed relative to the peer (1.00)."
    yield ""
    yield from rows(backup, measurements)


def rows(backup, measurements, rate=None):
    """
    Yields the header and the rows of a table of works that each have a peer.

    - rate: the name and the function of the column after the seconds (default: MB/s).
    """
    name, rate = rate or ("MB/s", lambda each: per_second(each, backup.stat().st_size))
    yield f"| work | program | seconds | {name} | times the peer | budget | peak MiB |"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
    yardsticks = {each.peer.work: each for each in measurements if each.peer.is_yardstick and each.runs}
    for each in measurements:
        yield "| " + " | ".join(_cells(each, rate, yardsticks.get(each.peer.work))) + " |"


def _cells(measurement, rate, yardstick):
    conversion = measurement.peer
    yield conversion.work
    yield f"`{conversion.name}`"
    if not measurement.runs:
        yield from (measurement.note, "–", "–", "–", "–")
        return
    times = measurement.times_as_fast_as(yardstick) if yardstick else None
    yield timing(measurement)
    yield rate(measurement)
    yield f"{times:.2f}" if times else "–"
    yield _verdict(times, conversion.budget)
    yield rounded(measurement.peak / 2**20)


def _verdict(times, budget):
    if not budget or not times:
        return "–"
    return f"{budget:.2f}, " + ("met" if times >= budget else "missed")
