"""Measurements: the commands take turns on the same file or folder, so that other load on the machine affects all of them."""

import os
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

# GNU time reports the peak memory of only its child. The peak of a child of this interpreter would include the interpreter's pages, which the
# child has until it executes the program.
TIME = shutil.which("gtime") or "/usr/bin/time"

# The time limit of a run, in seconds.
RUN_LIMIT = 600

# The memory limit of a peer.
MEMORY_LIMIT = 0.7 * os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")

NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Run:
    seconds: float
    peak: int
    status: int
    output: str
    complaint: str


class TookTooLong(Exception):
    pass


@dataclass
class Measurement:
    """A peer's runs, or a note with the reason why there are none."""

    peer: object
    runs: list[Run] = field(default_factory=list)
    note: str = ""

    @property
    def seconds(self):
        return statistics.median(run.seconds for run in self.runs)

    @property
    def fastest(self):
        return min(run.seconds for run in self.runs)

    @property
    def slowest(self):
        return max(run.seconds for run in self.runs)

    @property
    def peak(self):
        return statistics.median(run.peak for run in self.runs)

    def times_as_fast_as(self, other):
        """Returns the median ratio over the rounds of both: a slow round affects both."""
        return statistics.median(theirs.seconds / own.seconds for own, theirs in zip(self.runs, other.runs))


def run(peer, file, limit=RUN_LIMIT):
    """Runs the command of `peer` on `file` once. Raises `TookTooLong`."""
    command = [argument.replace("{file}", str(file)) for argument in peer.command]
    peer.prepare(file)
    with _output(peer) as output, tempfile.TemporaryFile() as complaint, tempfile.NamedTemporaryFile() as usage:
        with open(file if peer.reads_standard_input else os.devnull, "rb") as standard_input:
            start = time.perf_counter()
            process = subprocess.Popen(
                [TIME, "--quiet", "--format", "%M", "--output", usage.name, *command],
                stdin=standard_input, stdout=output, stderr=complaint, start_new_session=True)
            status = _wait(process, limit)
            seconds = time.perf_counter() - start
        peak = int(usage.read().split()[-1]) * 1024
        return Run(seconds, peak, status, _tail(output), _tail(complaint))


def _output(peer):
    return open(os.devnull, "w+b") if peer.discards_output else tempfile.TemporaryFile()


def _wait(process, limit):
    # `process.wait(limit)` polls every 50 ms: too coarse for a run of 100 ms.
    stopped = threading.Event()

    def stop():
        stopped.set()
        os.killpg(process.pid, signal.SIGKILL)

    timer = threading.Timer(limit, stop)
    timer.start()
    try:
        status = process.wait()
    finally:
        timer.cancel()
        # After an interrupt: the child is in its own session and would continue.
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    if stopped.is_set():
        raise TookTooLong
    return status


def _tail(file):
    """Returns the end of `file`: enough for a report of one finding, or for the line with the error."""
    file.seek(max(0, file.seek(0, os.SEEK_END) - 10_000))
    return file.read().decode(errors="replace").strip()


def size_of(path):
    """Returns the number of bytes of a file, or of the files of a folder."""
    return sum(file.stat().st_size for file in path.iterdir()) if path.is_dir() else path.stat().st_size


def measure(peers, file: Path, samples: list[Path], rounds, turns_limit, progress):
    """
    Measures `peers`, which take turns on `file`, which may be a folder.

    - samples: a small and a larger valid file. Time and memory of peers for them show which peers can process `file`.
    - turns_limit: total seconds after which a peer takes no further turn.
    """
    size = size_of(file)
    measurements = [Measurement(peer, note=_reason_not_to(peer, size, samples)) for peer in peers]
    for round in range(1, rounds + 1):
        for measurement in measurements:
            if measurement.note or sum(run.seconds for run in measurement.runs) > turns_limit:
                continue
            _take_turn(measurement, file)
            progress(f"round {round} of {rounds}: {measurement.peer.name}: " + (measurement.note or f"{measurement.runs[-1].seconds:.2f} s"))
    return measurements


def _take_turn(measurement, file):
    peer = measurement.peer
    try:
        result = run(peer, file)
    except TookTooLong:
        measurement.note = f"stopped after {RUN_LIMIT // 60} minutes"
    else:
        measurement.runs.append(result)
        measurement.note = _failure(peer, result)
    if measurement.note:
        measurement.runs.clear()


def _failure(peer, result):
    if peer.accepts(result):
        return ""
    lines = (result.complaint or result.output).splitlines()
    return f"fails: {lines[-1][:100] if lines else f'exit status {result.status}'}"


def _reason_not_to(peer, size, samples):
    """Returns the reason why a peer can't process a file of `size` bytes; empty if it probably can."""
    if not shutil.which(peer.command[0]):
        return NOT_INSTALLED
    try:
        small, large = (run(peer, sample, limit=60) for sample in samples)
    except TookTooLong:
        return "too slow"
    if note := _failure(peer, large) or _failure(peer, small):
        return note
    small_size, large_size = (size_of(sample) for sample in samples)
    beyond = max(0, size - large_size) / (large_size - small_size)
    peak = large.peak + beyond * max(0, large.peak - small.peak)
    seconds = large.seconds + beyond * max(0, large.seconds - small.seconds)
    if peak > MEMORY_LIMIT:
        return f"skipped: would need about {peak / 2**30:.0f} GiB of memory"
    if seconds > RUN_LIMIT:
        return f"skipped: would take about {seconds / 60:.0f} minutes"
    return ""
