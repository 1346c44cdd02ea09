"""Folders of many small files: Coffer compared with the schema validators that take more than one file."""

import contextlib
import dataclasses
import math
import re
import shutil
import subprocess

from conversions import COFFER
from measuring import run
from peers import SCHEMA, coffer, draft_2020_12_validators
from table import rounded, system, timing, turns

# The size of the files of each format, and how many there are for each one of the first.
SETS = {"swiff": ("19kB", 1), "keeptrack-legacy-intake-types": ("1.1kB", 4)}
COUNT = 5000

# The numbers of files in the folders from which time and memory are estimated.
SAMPLES = (50, 500)

# The number of backups to generate. A folder is filled with copies of them, because generating thousands would take minutes.
VARIANTS = 50

# The bytes of names that xargs passes at once, within the limits of Linux and macOS. By default it passes 128 KiB, and would start
# check-jsonschema, which takes half a second to load, six times.
NAMES = 900_000


def all_folder_checks(built, schemas):
    """
    Yields the peers for each format, which is their work.

    - schemas: each format's rules as draft 2020-12.
    """
    for format, schema in schemas.items():
        for peer in [*_coffer(schema), *draft_2020_12_validators(built, schema)]:
            yield dataclasses.replace(_with_names(peer) if peer.name == "check-jsonschema" else peer, work=format)


def _coffer(schema):
    """Yields Coffer with every rule of the format it detects, and with the schema of the others. Like them, it prints only what failed."""
    for peer in coffer([2, 1]):
        *command, folder = peer.command
        peer = dataclasses.replace(peer, command=[*command, "--quiet", folder], says_when_valid="")
        yield peer
        yield dataclasses.replace(
            peer, name=f"{peer.name} --rules schema.json", kind=SCHEMA, command=[*peer.command, "--rules", str(schema), "--assert-formats"],
            is_yardstick=peer.name.endswith("--jobs 1"),
        )


def _with_names(peer):
    """Returns a peer that takes no folder, but the names of files."""
    *command, folder = peer.command
    script = f'folder=$1; shift; find "$folder" -type f -print0 | xargs -0 -s {NAMES} "$@"'
    return dataclasses.replace(peer, name=f"xargs {peer.name}", command=["sh", "-c", script, "sh", folder, *command])


@contextlib.contextmanager
def folders(parent, format, count):
    """Yields two small folders and one of `count` valid files, which are removed afterwards."""
    numbers = [*SAMPLES, count]
    paths = [parent / f"files-{number}" for number in numbers]
    try:
        for path, number in zip(paths, numbers):
            _write(path, format, number)
        yield paths
    finally:
        for path in paths:
            shutil.rmtree(path, ignore_errors=True)


def _write(folder, format, count):
    folder.mkdir(exist_ok=True)
    files = [folder / f"{number:05}.json" for number in range(count)]
    for number, file in enumerate(files):
        if number < VARIANTS:
            _generate(format, file, number)
        else:
            shutil.copyfile(files[number % VARIANTS], file)


def _generate(format, file, seed, *options):
    size, _ = SETS[format]
    command = [COFFER, "generate", format, file, "--force", "--size", size, "--seed", str(seed), *options]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def discover_files(peers, format, folder):
    """
    Plants a defect into the first, the middle and the last file of a folder, and then cuts off one more.

    Returns, by the names of the peers, how many of the three each of them names, and then how many of the four.
    """
    files = sorted(folder.iterdir())
    broken = [files[0], files[len(files) // 2], files[-1]]
    for seed, file in enumerate(broken):
        _generate(format, file, seed, "--defect", "type=1")
    defective = [_named(peer, folder, broken) for peer in peers]
    damaged = files[len(files) // 4]
    damaged.write_bytes(damaged.read_bytes()[:-100])
    return {peer.name: (count, _named(peer, folder, [*broken, damaged])) for peer, count in zip(peers, defective)}


def _named(peer, folder, broken):
    """Returns how many of the broken files a peer names: none if it accepts the folder, or names another file."""
    result = run(peer, folder)
    named = set(re.findall(r"\d{5,}\.json", result.output + result.complaint))
    return len(named) if not peer.accepts(result) and named <= {file.name for file in broken} else 0


def files_page(results):
    """Returns the page with the full result."""
    return "\n".join([
        "# Many files", "",
        "The latest results of `Benchmarks/compare.sh --table files`; `--publish` writes this page. Every program loads the rules once. The schema is the",
        "format's rules as plain JSON Schema, draft 2020-12, as in [the comparison of checkers](compare.md).", "",
        "Coffer and sourcemeta's validator take a folder. Without `--continue`, the latter would stop at the first invalid file; at one that is not JSON it",
        f"stops in any case. check-jsonschema takes names: xargs starts it for each {NAMES:,} bytes of them. The package of jsonschema-rs has no command:",
        "a loop in Python loads each file and validates it.", "",
        *files_comparison(results), "",
    ])


def files_comparison(results):
    """
    Yields the table, for its own page and for docs/performance.md.

    - results: for each set, the number of files and their bytes, the measurements, and the discoveries.
    """
    measured = [each for _, _, measurements, _ in results for each in measurements]
    yield f"Folders with copies of {VARIANTS} generated backups ({', '.join(SETS)}) in the page cache, {system()}."
    yield f"Seconds are medians of {turns(measured)}. A relative time is a multiple of Coffer's with the same schema and one thread; the other programs"
    yield "use one thread. The last columns say how many of three files with a defect a program names, and how many of four after one more is cut off."
    yield ""
    yield "| files | program | version | checks | seconds | files per second | relative time | peak MiB | defects named | with one cut off |"
    yield "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    for count, size, measurements, discoveries in results:
        yardstick = next((each for each in measurements if each.peer.is_yardstick and each.runs), None)
        # Those that check more come first, of these the fastest.
        for each in sorted(measurements, key=lambda each: (each.peer.kind == SCHEMA, each.seconds if each.runs else math.inf)):
            yield "| " + " | ".join([f"{count:,} of {size / count / 1000:.1f} kB", *_cells(each, count, yardstick, discoveries)]) + " |"


def _cells(measurement, count, yardstick, discoveries):
    peer = measurement.peer
    yield from (f"`{peer.name}`", peer.version, peer.kind)
    if not measurement.runs:
        yield from (measurement.note, "–", "–", "–", "–", "–")
        return
    yield timing(measurement)
    yield rounded(count / measurement.seconds)
    yield f"{yardstick.times_as_fast_as(measurement):.2f}" if yardstick else "–"
    yield rounded(measurement.peak / 2**20)
    defective, damaged = discoveries[peer.name]
    yield from (f"{defective} of 3", f"{damaged} of 4")
