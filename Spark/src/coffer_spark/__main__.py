"""The command line: `coffer-spark FILE…`, or `spark-submit Spark/coffer-spark.py FILE…`."""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
from typing import Any

from pyspark.sql import SparkSession

from coffer_spark.command import USAGE, CofferError, Command
from coffer_spark.validation import Report, validate

_DESCRIPTION = """\
Validate JSON backups on Apache Spark. The report and the exit status are those of coffer validate. Files are paths by
which the driver and all executors can read them, or URIs that Hadoop can read, such as hdfs:/export.json.

All options of coffer split and of coffer report merge are accepted, too, except those for single steps: see their --help."""

# Options that this driver gives to the command itself, and --version, which would end it.
_OWN_OPTIONS = frozenset(
    {
        "--files-from",
        "--input",
        "--keys",
        "--partial",
        "--plan",
        "--range-server",
        "--scans",
        "--version",
        "--violations",
    }
)

# The exit status of coffer after Ctrl-C.
_INTERRUPTED = 130


class _Arguments:
    """The files, and the options for coffer."""

    def __init__(self, words: list[str], command: Command) -> None:
        """Sort the words of the command line that aren't options of this driver.

        :raises CofferError: for an option that this driver gives to the command, or that the command doesn't have.
        """
        self.files: list[str] = []
        self.split_options: list[str] = []
        self.report_options: list[str] = []
        split, report = _options(command, "split", "plan"), _options(command, "report", "merge")
        # The driver chooses the plan's file: --output is for the report.
        del split["--output"]
        has_value = split | report
        rest = iter(words)
        for word in rest:
            if word == "--":
                self.files += rest
                break
            if word == "-" or not word.startswith("-"):
                self.files.append(word)
                continue
            name, equals, _ = word.partition("=")
            if name in _OWN_OPTIONS or name not in has_value:
                message = f"coffer-spark: unknown option '{name}'"
                raise CofferError(USAGE, message)
            option = [word]
            if has_value[name] and not equals:
                option += itertools.islice(rest, 1)
            if name in split:
                self.split_options += option
            if name in report:
                self.report_options += option


def _options(command: Command, *verb: str) -> dict[str, bool]:
    """Return the options of a verb, and whether they have a value."""
    described = json.loads(command.run([*verb, "--experimental-dump-help"]).stdout)["command"]
    arguments: list[dict[str, Any]] = described["arguments"]
    return {
        ("-" if name["kind"] == "short" else "--") + name["name"]: argument["kind"] == "option"
        for argument in arguments
        for name in argument.get("names", [])
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="coffer-spark",
        usage="coffer-spark [OPTION…] FILE…",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--coffer", metavar="PATH", help="the command, which is sent to the executors (default: that of coffer-json)")
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
        help="show on standard error how many tasks are done (default: auto)",
    )
    parser.add_argument("--no-progress", dest="progress", action="store_const", const="never", help="short for --progress never")
    return parser


def _validate(own: argparse.Namespace, rest: list[str]) -> Report:
    """Validate the files that the command line names.

    :param own: the options of this driver.
    :param rest: all other words.
    :raises CofferError: if the command refuses, or can't read or write a file.
    """
    command = Command.find(own.coffer)
    arguments = _Arguments(rest, command)
    if not arguments.files:
        raise CofferError(USAGE, "coffer-spark: name at least one file")
    # Spark's own bars would mix with the lines of --progress.
    spark = SparkSession.builder.appName("coffer").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    try:
        return validate(
            spark,
            arguments.files,
            coffer=command.path,
            tasks=own.tasks,
            key_buckets=own.key_buckets,
            options=arguments.split_options,
            report_options=arguments.report_options,
            progress=own.progress == "plain" or (own.progress == "auto" and sys.stderr.isatty()),
        )
    finally:
        spark.stop()


def main() -> int:
    """Validate files; the exit status is that of coffer validate."""
    try:
        report = _validate(*_parser().parse_known_args())
    except CofferError as error:
        sys.stderr.write(f"{error}\n")
        return error.status
    except KeyboardInterrupt:
        sys.stderr.write("coffer-spark: interrupted\n")
        return _INTERRUPTED
    sys.stderr.write(report.messages)
    try:
        sys.stdout.buffer.write(report.content)
        sys.stdout.flush()
    except BrokenPipeError:
        # No error, as in coffer: the reader has read enough. Python must not try again at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return report.status


if __name__ == "__main__":
    sys.exit(main())
