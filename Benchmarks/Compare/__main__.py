"""Measures Coffer beside other programs. `Benchmarks/compare.sh`, which installs those, says how it is called."""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import plain_schema
from defects import discover
from measuring import NOT_INSTALLED, measure
from peers import all_peers
from plot import plot
from table import YARDSTICK, comparison, page

COFFER = ".build/release/coffer"
BUILT = Path(".build/peers")
WORK = Path("out/benchmarks")
RESULTS = Path("Benchmarks/Results")
README = Path("README.md")


def main():
    options = _options()
    WORK.mkdir(parents=True, exist_ok=True)
    peers = _chosen(all_peers(BUILT, _schemas(), _jobs()), options.only)
    backup = _generated(options.size)
    try:
        measurements = measure(peers, backup, [_generated("2MB"), _generated("20MB")], options.rounds, _progress)
        installed = [each.peer for each in measurements if each.note != NOT_INSTALLED]
        discoveries = discover(installed, COFFER, WORK / "defects", _progress)
        _write(WORK, backup, measurements, discoveries)
        if options.publish:
            _write(RESULTS, backup, measurements, discoveries)
            _show_in_readme(comparison(backup, measurements, discoveries))
        print("\n".join(comparison(backup, measurements, discoveries)))
    finally:
        backup.unlink()


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/compare.sh", description="Measure Coffer beside other programs.")
    parser.add_argument("size", nargs="?", default="1GB", help="of the backup that is generated, such as 200MB (default: 1GB)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="how many turns each program takes (default: 5)")
    parser.add_argument("--only", default="", metavar="NAME,…", help="programs whose names contain one of these, and json_verify")
    parser.add_argument("--publish", action="store_true", help=f"write the result to {RESULTS} and {README}, too")
    return parser.parse_args()


def _chosen(peers, only):
    parts = [part for part in only.split(",") if part]
    chosen = [peer for peer in peers if not parts or peer.name == YARDSTICK or any(part in peer.name for part in parts)]
    for part in parts:
        if not any(part in peer.name for peer in peers):
            sys.exit(f"no program's name contains '{part}'; there are: {', '.join(peer.name for peer in peers)}")
    return chosen


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


def _write(folder, backup, measurements, discoveries):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "compare.md").write_text(page(backup, measurements, discoveries))
    (folder / "compare.svg").write_text(plot(backup.stat().st_size, measurements))


def _show_in_readme(lines):
    """Puts the table between the two marks in the README."""
    begin, end = "<!-- Benchmarks/compare.sh --publish writes what follows -->", "<!-- end of what it writes -->"
    text = README.read_text()
    table = "\n".join([begin, "", *lines, "", end])
    shown, count = re.subn(f"{re.escape(begin)}.*{re.escape(end)}", lambda _: table, text, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"{README} lacks the marks between which the table belongs")
    README.write_text(shown)


def _progress(message):
    print(message, file=sys.stderr)


main()
