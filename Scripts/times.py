#!/usr/bin/env python3
"""Prints the times of a build and of the tests in CPU seconds, which other programs on the machine hardly affect.

Usage: Scripts/times.py [build] [command] [tests]      default: build and tests

build     builds everything from scratch in .build/times, with a wrapper around the compilers: CPU seconds per module, and the functions
          and expressions that take longest to type-check
command   the same for the optimised command alone; with COFFER_WITHOUT_DATABASES=1 that of `make demo`
tests     runs each suite in its own process, so that no suite waits for another; includes the processes that a suite spawns
"""

import collections
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys

LOG, TOOLCHAIN = "COFFER_TIMES_LOG", "COFFER_TIMES_TOOLCHAIN"
ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "times"
SLOWEST = 10
PLACE = re.compile(rb"(\d+\.\d+)ms(?:\\t|\t)((?:\\?/[^\\\t/:@]+)+\.swift:\d+:\d+)")


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def value_after(arguments, flag):
    return arguments[arguments.index(flag) + 1] if flag in arguments else None


# The compiler wrapper: SwiftPM calls this script by the name of a compiler.


def wrap(name, arguments):
    real = f"{os.environ[TOOLCHAIN]}/bin/{name}"
    module = value_after(arguments, "-module-name")
    compiles = "-c" in arguments or "-emit-module" in arguments
    if name == "swiftc" and not (module and compiles) and "-o" not in arguments:
        os.execv(real, [real, *arguments])
    timing = ["-debug-time-function-bodies", "-debug-time-expression-type-checking"]
    more = [part for option in timing for part in ("-Xfrontend", option)] if name == "swiftc" and compiles else []
    run = subprocess.run([real, *arguments, *more], capture_output=True)
    output = value_after(arguments, "-o") or ""
    if name == "clang":
        found = re.search(r"/([^/]+)\.build/", output)
        what = f"{found.group(1)} (C)" if found else "other C"
    else:
        what = module if compiles else "linking"
    # The driver repeats the output of its jobs: a dictionary keeps each row once.
    slow = {place.replace(b"\\/", b"/").decode(): float(time) for time, place in PLACE.findall(run.stdout + run.stderr)}
    slow = sorted(slow.items(), key=lambda row: -row[1])[:SLOWEST]
    with open(os.environ[LOG], "a") as log:
        log.write(json.dumps({"module": what, "cpu": children_cpu(), "slow": slow}) + "\n")
    # Without the timings, which SwiftPM would print.
    sys.stdout.buffer.write(run.stdout if run.returncode or not more else b"")
    sys.stderr.buffer.write(run.stderr if run.returncode or not more else b"")
    sys.exit(run.returncode)


# The two reports.


def print_table(title, rows, least):
    """Prints rows of CPU seconds and names, with one row for all below `least`."""
    total = sum(seconds for seconds, _ in rows)
    print(f"\n{title}: {total:.0f} CPU seconds")
    small = [seconds for seconds, _ in rows if seconds < least]
    for seconds, name in sorted(rows, reverse=True):
        if seconds >= least:
            print(f"{seconds:9.1f}  {name}")
    if small:
        print(f"{sum(small):9.1f}  {len(small)} others, each below {least:g}")


def command():
    build("-c", "release", "--product", "coffer", "--static-swift-stdlib", "-Xswiftc", "-gnone")


def build(*options):
    shutil.rmtree(FOLDER, ignore_errors=True)
    compiler = pathlib.Path(shutil.which("swiftc")).resolve()
    toolchain = compiler.parent.parent
    (FOLDER / "bin").mkdir(parents=True)
    # Copies instead of links: SwiftPM looks for libIndexStore next to its compiler, whose links it resolves.
    (FOLDER / "lib").symlink_to(toolchain / "lib")
    for name in ("swiftc", "clang"):
        shutil.copy(__file__, FOLDER / "bin" / name)
    log = FOLDER / "log"
    environment = os.environ | {
        LOG: str(log), TOOLCHAIN: str(toolchain),
        "SWIFT_EXEC": str(FOLDER / "bin" / "swiftc"), "CC": str(FOLDER / "bin" / "clang"),
    }
    options = options or ("--build-tests",)
    subprocess.run(["swift", "build", "--quiet", "--force-resolved-versions", "--scratch-path", str(FOLDER / "build"), *options], cwd=ROOT, env=environment, check=True)
    modules, slow = collections.Counter(), {}
    for line in log.read_text().splitlines():
        entry = json.loads(line)
        modules[entry["module"]] += entry["cpu"]
        slow.update(entry["slow"])
    print_table("Build, by module", [(seconds, name) for name, seconds in modules.items()], least=2)
    print("\nSlowest to type-check, in milliseconds")
    for place, milliseconds in sorted(slow.items(), key=lambda row: -row[1])[:SLOWEST]:
        print(f"{milliseconds:9.0f}  {place.removeprefix(str(ROOT) + '/')}")


def tests():
    subprocess.run(["swift", "build", "--build-tests", "--quiet", "--force-resolved-versions"], cwd=ROOT, check=True)
    shown = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    program = [f"{shown.stdout.strip()}/cofferPackageTests.xctest", "--testing-library", "swift-testing"]
    listed = subprocess.run([*program, "--list-tests"], check=True, capture_output=True, text=True).stdout
    rows, failed = [], []
    for suite in sorted({line.split("/")[0] for line in listed.splitlines() if "/" in line}):
        before = children_cpu()
        run = subprocess.run([*program, "--filter", f"^{re.escape(suite)}/"], cwd=ROOT, capture_output=True)
        rows.append((children_cpu() - before, suite))
        if run.returncode:
            failed.append(suite)
    print_table("Tests, by suite", rows, least=1)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if LOG in os.environ:
    wrap(os.path.basename(sys.argv[0]), sys.argv[1:])
parts = {"build": build, "command": command, "tests": tests}
wanted = sys.argv[1:] or ["build", "tests"]
if not set(wanted) <= set(parts):
    sys.exit(__doc__)
for name in wanted:
    parts[name]()
