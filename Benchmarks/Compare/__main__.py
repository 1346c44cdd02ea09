"""Measures Coffer beside other programs. `Benchmarks/compare.sh`, which installs those, says how it is called."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import plain_schema
from conversions import COFFER, all_conversions
from conversions_table import conversions_comparison, conversions_page
from defects import discover
from measuring import NOT_INSTALLED, measure
from peers import all_peers
from plot import plot
from publishing import README, show_in_readme
from table import comparison, page

BUILT = Path(".build/peers")
WORK = Path("out/benchmarks")
RESULTS = Path("Benchmarks/Results")


def main():
    options = _options()
    WORK.mkdir(parents=True, exist_ok=True)
    tables = {"check": all_peers(BUILT, _schemas(), _jobs()), "convert": all_conversions()}
    if options.table:
        tables = {options.table: tables[options.table]}
    chosen = _chosen(tables, options.only)
    files = [_generated("2MB"), _generated("20MB"), _generated(options.size)]
    try:
        for table, peers in chosen.items():
            # A table that lacks programs would replace one that has them all.
            publishes = options.publish and len(peers) == len(tables[table])
            if options.publish and not publishes:
                _progress(f"--only left programs out: the table '{table}' is not published")
            measured = {"check": _check, "convert": _convert}[table](peers, files, options.rounds, publishes)
            print("\n".join([*measured, ""]))
    finally:
        for file in (files[-1], _compressed_name(files[-1])):
            file.unlink(missing_ok=True)


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/compare.sh", description="Measure Coffer beside other programs.")
    parser.add_argument("size", nargs="?", default="1GB", help="of the backup that is generated, such as 200MB (default: 1GB)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how many turns each program takes (default: 5)")
    parser.add_argument("--table", choices=["check", "convert"], help="one of the tables alone (default: both)")
    parser.add_argument("--only", default="", metavar="NAME,…", help="programs whose names contain one of these, and their peers")
    parser.add_argument("--publish", action="store_true", help=f"write the result to {RESULTS} and {README}, too")
    return parser.parse_args()


def _chosen(tables, only):
    """Of each table the programs whose names contain a part of `only`, and those to which they are compared; no table without any."""
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


def _check(peers, files, rounds, publishes):
    """The table of those that check; also writes its page and its picture."""
    *samples, backup = files
    measurements = measure(peers, backup, samples, rounds, 180, _progress)
    installed = [each.peer for each in measurements if each.note != NOT_INSTALLED]
    discoveries = discover(installed, COFFER, WORK / "defects", _progress)
    _write("compare.md", page(backup, measurements, discoveries), publishes)
    _write("compare.svg", plot(backup.stat().st_size, measurements), publishes)
    table = list(comparison(backup, measurements, discoveries))
    if publishes:
        show_in_readme(table)
    return table


def _convert(conversions, files, rounds, publishes):
    """The table of those that convert and compress; also writes its page."""
    *samples, backup = files
    for file in files:
        subprocess.run([COFFER, "compress", "--force", file, _compressed_name(file)], check=True, stderr=subprocess.DEVNULL)
    # Less than those that check are given: most take less than a second and need many rounds, some take half a minute.
    measurements = measure(conversions, backup, samples, rounds, 60, _progress)
    _write("convert.md", conversions_page(backup, measurements), publishes)
    table = list(conversions_comparison(backup, measurements))
    if publishes:
        show_in_readme(table, mark=": convert")
    return table


def _jobs():
    """The numbers of workers to measure, none where `coffer` can't be told any."""
    described = subprocess.run([COFFER, "validate", "--help"], check=True, capture_output=True, text=True).stdout
    return [1, 2] if "--jobs" in described else []


def _schemas():
    """The paths of the format's rules in the dialects that schema validators know."""
    rules = subprocess.run([COFFER, "formats", "ev-charging-tracker", "--rules"], check=True, capture_output=True).stdout
    newest = plain_schema.draft_2020_12(json.loads(rules))
    paths = {}
    for dialect, schema in {"2020-12": newest, "draft-4": plain_schema.draft_4(newest)}.items():
        paths[dialect] = WORK / f"schema-{dialect}.json"
        paths[dialect].write_text(json.dumps(schema, ensure_ascii=False, indent=2) + "\n")
    return paths


def _generated(size):
    file = WORK / f"backup-{size}.json"
    subprocess.run([COFFER, "generate", "ev-charging-tracker", file, "--size", size, "--seed", "7"], check=True, stderr=subprocess.DEVNULL)
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
