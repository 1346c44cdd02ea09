"""Compares Coffer with other programs. `Benchmarks/compare.sh`, which installs them, describes the usage."""

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import plain_schema
from archives import PHOTOS, all_archive_works, archives_comparison, archives_page, write_folder
from conversions import COFFER, all_conversions
from conversions_table import conversions_comparison, conversions_page
from defects import discover
from files import COUNT, SETS, all_folder_checks, discover_files, files_comparison, files_page, folders
from formats import all_checks, documents, formats_comparison, formats_page
from measuring import NOT_INSTALLED, measure, size_of
from peers import all_peers
from plot import plot
from publishing import PAGE, show
from table import comparison, page
from transfers import SIZE, all_transfers, prepared, transfer_comparison, transfer_page

BUILT = Path(".build/peers")
WORK = Path("out/benchmarks")
RESULTS = Path("Benchmarks/Results")


def main():
    options = _options()
    WORK.mkdir(parents=True, exist_ok=True)
    tables = {
        "check": all_peers(BUILT, _schemas("ev-charging-tracker"), _jobs()), "convert": list(all_conversions()), "formats": list(all_checks()),
        "archives": list(all_archive_works()), "transfer": list(all_transfers()),
        "files": list(all_folder_checks(BUILT, {format: _schemas(format)["2020-12"] for format in SETS})),
    }
    if options.table:
        tables = {options.table: tables[options.table]}
    size = options.size
    for table, peers in _chosen(tables, options.only).items():
        # An incomplete table must not replace a complete one.
        options.size = size or (SIZE if table == "transfer" else "1GB")
        publishes = options.publish and len(peers) == len(tables[table])
        if options.publish and not publishes:
            _progress(f"--only excludes programs: the table '{table}' is not published")
        measured = {
            "check": _check, "convert": _convert, "formats": _formats, "archives": _archives, "transfer": _transfer, "files": _files,
        }[table](peers, options, publishes)
        print("\n".join([*measured, ""]))


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/compare.sh", description="Compare Coffer with other programs.")
    parser.add_argument("size", nargs="?", help=f"size of the generated backup, such as 200MB (default: 1GB, for transfer {SIZE})")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="turns per program (default: 5)")
    parser.add_argument("--table", choices=["check", "convert", "formats", "archives", "transfer", "files"], help="only this table (default: all)")
    parser.add_argument(
        "--files", type=int, default=COUNT, metavar="N", help=f"files of 19 kB for the table 'files', with four times as many of 1 kB (default: {COUNT})")
    parser.add_argument("--only", default="", metavar="NAME,…", help="only programs whose names contain one of these, and their peers")
    parser.add_argument("--publish", action="store_true", help=f"also write the result to {RESULTS} and {PAGE}")
    return parser.parse_args()


def _chosen(tables, only):
    """Returns the non-empty tables with the programs whose names contain a part of `only`, and their peers."""
    parts = [part for part in only.split(",") if part]
    names = [peer.name for peers in tables.values() for peer in peers]
    for part in parts:
        if not any(part in name for name in names):
            sys.exit(f"no program's name contains '{part}'; there are: {', '.join(names)}")
    chosen = {}
    for table, peers in tables.items():
        named = [peer for peer in peers if not parts or any(part in peer.name for part in parts)]
        works = {peer.work for peer in named}
        if named:
            chosen[table] = [peer for peer in peers if peer in named or (peer.is_yardstick and peer.work in works)]
    return chosen


def _check(peers, options, publishes):
    """Returns the table of checkers; also writes its page and its picture."""
    with _backups("ev-charging-tracker", options.size) as (*samples, backup):
        measurements = measure(peers, backup, samples, options.rounds, 180, _progress)
        installed = [each.peer for each in measurements if each.note != NOT_INSTALLED]
        discoveries = discover(installed, COFFER, WORK / "defects", _progress)
        _write("compare.md", page(backup, measurements, discoveries), publishes)
        _write("compare.svg", plot(backup.stat().st_size, measurements), publishes)
        table = list(comparison(backup, measurements, discoveries))
    if publishes:
        show(table)
    return table


def _convert(conversions, options, publishes):
    """Returns the table of converters and compressors; also writes its page."""
    with _backups("ev-charging-tracker", options.size) as (*samples, backup):
        for file in [*samples, backup]:
            subprocess.run([COFFER, "compress", "--force", file, _compressed_name(file)], check=True, stderr=subprocess.DEVNULL)
        # A lower limit than for checkers: most take less than a second and need many rounds, some take half a minute.
        measurements = measure(conversions, backup, samples, options.rounds, 60, _progress)
        _write("convert.md", conversions_page(backup, measurements), publishes)
        table = list(conversions_comparison(backup, measurements))
    if publishes:
        show(table, mark=": convert")
    return table


def _formats(checks, options, publishes):
    """Returns the table of formats; also writes its page."""
    results = []
    for title, name, layout in documents():
        _progress(f"format: {title}")
        with _backups(name, options.size, layout) as (*samples, backup):
            # A format without collections has backups of only one size.
            if backup.stat().st_size <= samples[-1].stat().st_size:
                _progress("skipped: no collection that could grow")
                continue
            # The size is kept, because the file is removed before the table is made.
            results.append((title, backup.stat().st_size, measure(checks, backup, samples, options.rounds, 60, _progress)))
    _write("formats.md", formats_page(options.size, results), publishes)
    table = list(formats_comparison(options.size, results))
    if publishes:
        show(table, mark=": formats")
    return table


def _archives(works, options, publishes):
    """Returns the table of ZIP archives, whose size is fixed; also writes its page."""
    archives = []
    try:
        for count in (5, 50, PHOTOS):
            archive = WORK / f"photos-{count}.zip"
            archives.append(archive)
            write_folder(Path(f"{archive}.folder"), count)
            subprocess.run([COFFER, "pack", "--force", f"{archive}.folder", archive], check=True, stderr=subprocess.DEVNULL)
        *samples, archive = archives
        measurements = measure(works, archive, samples, options.rounds, 120, _progress)
        _write("archives.md", archives_page(archive, measurements), publishes)
        table = list(archives_comparison(archive, measurements))
    finally:
        for archive in archives:
            archive.unlink(missing_ok=True)
            shutil.rmtree(f"{archive}.folder", ignore_errors=True)
    if publishes:
        show(table, mark=": archives")
    return table


def _transfer(works, options, publishes):
    """Returns the table of imports and exports; also writes its page."""
    with _backups("ev-charging-tracker", options.size) as files, prepared(files) as count:
        *samples, backup = files
        measurements = measure(works, backup, samples, options.rounds, 180, _progress)
        _write("transfer.md", transfer_page(backup, measurements, count), publishes)
        table = list(transfer_comparison(backup, measurements, count))
    if publishes:
        show(table, mark=": transfer")
    return table


def _files(peers, options, publishes):
    """Returns the table of folders of many files; also writes its page."""
    results = []
    for format, (_, share) in SETS.items():
        _progress(f"files: {format}")
        count = options.files * share
        with folders(WORK, format, count) as (*samples, folder):
            size = size_of(folder)
            measurements = measure([peer for peer in peers if peer.work == format], folder, samples, options.rounds, 120, _progress)
            _progress("files with defects")
            measured = [each.peer for each in measurements if each.runs]
            results.append((count, size, measurements, discover_files(measured, format, folder)))
    _write("files.md", files_page(results), publishes)
    table = list(files_comparison(results))
    if publishes:
        show(table, mark=": files")
    return table


def _jobs():
    """Returns the numbers of workers to measure, none if `coffer` has no such option."""
    described = subprocess.run([COFFER, "validate", "--help"], check=True, capture_output=True, text=True).stdout
    return [1, 2] if "--jobs" in described else []


def _schemas(format):
    """Returns the paths of a format's rules in the dialects of the schema validators."""
    rules = subprocess.run([COFFER, "formats", format, "--print-rules"], check=True, capture_output=True).stdout
    newest = plain_schema.draft_2020_12(json.loads(rules))
    paths = {}
    for dialect, schema in {"2020-12": newest, "draft-4": plain_schema.draft_4(newest)}.items():
        paths[dialect] = WORK / f"{format}-schema-{dialect}.json"
        paths[dialect].write_text(json.dumps(schema, ensure_ascii=False, indent=2) + "\n")
    return paths


@contextlib.contextmanager
def _backups(format, size, layout=()):
    """Yields two small backups and one of `size`, which is removed afterwards."""
    files = [_generated(format, each, layout) for each in ("2MB", "20MB", size)]
    try:
        yield files
    finally:
        for file in (files[-1], _compressed_name(files[-1])):
            file.unlink(missing_ok=True)


def _generated(format, size, layout):
    file = WORK / f"{format}-{size}.json"
    command = [COFFER, "generate", format, file, "--force", "--size", size, "--seed", "7", *layout]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return file


def _compressed_name(file):
    return Path(f"{file}.lz4")


def _write(name, text, publishes):
    for folder in [WORK, RESULTS] if publishes else [WORK]:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def _progress(message):
    print(message, file=sys.stderr)


main()
