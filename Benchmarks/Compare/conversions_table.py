"""The measurements of conversions as Markdown."""

from table import described, per_second, rounded, timing, turns


def conversions_page(backup, measurements):
    """The whole result, a page of its own."""
    return "\n".join([
        "# Convert and compress", "",
        "What `Benchmarks/compare.sh` measured last; `--publish` writes this page. Figures vary by tens of percent from run to run, the ratios of",
        "commands that took turns by less: `times the peer` is the median of the rounds' ratios.", "",
        *conversions_comparison(backup, measurements), "",
    ])


def conversions_comparison(backup, measurements):
    """The table itself, for its own page and for docs/performance.md."""
    yield f"{described(backup)}; what is written goes to /dev/null."
    yield f"Seconds are medians of {turns(measurements)}, with the fastest and the slowest in brackets; MB/s are of the plain JSON."
    yield "The `.lz4` is Coffer's own. A budget is how many times as fast as its peer, which has 1.00, a command has to be."
    yield ""
    yield from rows(backup, measurements)


def rows(backup, measurements, rate=None):
    """
    The rows of works that each have a peer, with their head.

    - rate: what is said of a measurement beside its seconds, and what that is called; MB/s unless told.
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
