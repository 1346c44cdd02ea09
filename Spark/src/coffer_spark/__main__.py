"""The script: `coffer-spark FILE…`, or `spark-submit coffer-spark FILE…`."""

from __future__ import annotations

import argparse
import sys

from pyspark.sql import SparkSession

from coffer_spark.command import USAGE, CofferError
from coffer_spark.validation import validate

_DESCRIPTION = """\
Validate JSON backups on Apache Spark. The report and the exit status are those of coffer validate.

All options of coffer split, except --output, and of coffer report merge are accepted, too: see coffer validate --help."""

# The options of coffer report merge, and whether they have a value. All other options are those of coffer split.
_REPORT_OPTIONS = {
    "--output-format": True,
    "--json": False,
    "--output": True,
    "--report": True,
    "--color": True,
    "--quiet": False,
    "--summary": False,
    "--fail-on": True,
    "--strict": False,
    "--max-errors": True,
    "--baseline": True,
    "--update-baseline": False,
}
_SPLIT_OPTIONS_WITH_VALUE = {
    "--rules",
    "--input-format",
    "--from",
    "--max-findings",
    "--now",
    "--memory-limit",
    "--map",
    "--duplicate-keys",
    "--only",
}


class _Words:
    """The words of the command line that are for coffer."""

    def __init__(self, words: list[str]) -> None:
        self.files: list[str] = []
        self.split: list[str] = []
        self.report: list[str] = []
        rest = iter(words)
        for word in rest:
            if word == "--":
                self.files += rest
            elif not word.startswith("-") or word == "-":
                self.files.append(word)
            else:
                name, _, value = word.partition("=")
                options = self.report if name in _REPORT_OPTIONS else self.split
                options.append(word)
                if not value and (_REPORT_OPTIONS.get(name) or name in _SPLIT_OPTIONS_WITH_VALUE):
                    options += [value for value in [next(rest, None)] if value is not None]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coffer-spark",
        usage="coffer-spark [OPTION…] FILE…",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--coffer", metavar="PATH", help="the command, which is sent to the executors (default: on the PATH)")
    parser.add_argument(
        "--tasks",
        metavar="N",
        type=int,
        help="the tasks (default: one for 128 MiB, and at least two for each processor)",
    )
    parser.add_argument(
        "--key-buckets",
        metavar="N",
        type=int,
        default=64,
        help="the buckets of the shuffle of keys; 0: no shuffle (default: 64)",
    )
    parser.add_argument(
        "--progress",
        choices=["auto", "plain", "never"],
        default="auto",
        help="show on standard error how many tasks are done",
    )
    parser.add_argument("--no-progress", dest="progress", action="store_const", const="never", help="short for --progress never")
    return parser


def main() -> int:
    """Validate files; the exit status is that of coffer validate."""
    arguments, rest = _parser().parse_known_args()
    words = _Words(rest)
    if not words.files:
        sys.stderr.write("coffer-spark: name at least one file\n")
        return USAGE
    spark = SparkSession.builder.appName("coffer").getOrCreate()
    try:
        report = validate(
            spark,
            words.files,
            coffer=arguments.coffer,
            tasks=arguments.tasks,
            key_buckets=arguments.key_buckets,
            options=words.split,
            report_options=words.report,
            progress=arguments.progress == "plain" or (arguments.progress == "auto" and sys.stderr.isatty()),
        )
    except CofferError as error:
        sys.stderr.write(f"{error}\n")
        return error.status
    finally:
        spark.stop()
    sys.stderr.write(report.messages)
    sys.stdout.buffer.write(report.content)
    return report.status


if __name__ == "__main__":
    sys.exit(main())
