"""The script: `coffer-spark FILE…`, or `spark-submit coffer-spark FILE…`."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from pyspark.sql import SparkSession

from coffer_spark.command import USAGE, CofferError, Command
from coffer_spark.validation import validate

_DESCRIPTION = """\
Validate JSON backups on Apache Spark. The report and the exit status are those of coffer validate. Files are paths by
which the driver and all executors can read them, or URIs that Hadoop can read, such as hdfs:/export.json.

All options of coffer split and of coffer report merge are accepted, too, except those for single steps: see their --help."""

# Options that this driver gives to the command.
_OWN_OPTIONS = frozenset(
    {"--plan", "--partial", "--keys", "--violations", "--input", "--scans", "--range-server", "--version", "--help", "-h"}
)


class _Words:
    """The words of the command line that are for coffer."""

    def __init__(self, words: list[str], command: Command) -> None:
        """Sort the words.

        :raises CofferError: for an option that this driver gives to the command, or that the command doesn't have.
        """
        self.files: list[str] = []
        self.split: list[str] = []
        self.report: list[str] = []
        split, report = _options(command, "split", "plan"), _options(command, "report", "merge")
        # The plan's file is not for users.
        del split["--output"]
        rest = iter(words)
        for word in rest:
            if word == "--":
                self.files += rest
            elif not word.startswith("-") or word == "-":
                self.files.append(word)
            else:
                name, equals, _ = word.partition("=")
                if name in _OWN_OPTIONS or name not in split | report:
                    message = f"coffer-spark: unknown option '{name}'"
                    raise CofferError(USAGE, message)
                has_value = (split | report)[name]
                found = [word, *([value for value in [next(rest, None)] if value is not None] if has_value and not equals else [])]
                self.split += found if name in split else []
                self.report += found if name in report else []


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
        help="show on standard error how many tasks are done (default: auto)",
    )
    parser.add_argument("--no-progress", dest="progress", action="store_const", const="never", help="short for --progress never")
    return parser


def main() -> int:
    """Validate files; the exit status is that of coffer validate."""
    arguments, rest = _parser().parse_known_args()
    try:
        command = Command.find(arguments.coffer)
        words = _Words(rest, command)
        if not words.files:
            raise CofferError(USAGE, "coffer-spark: name at least one file")  # noqa: TRY301
        spark = SparkSession.builder.appName("coffer").getOrCreate()
        try:
            report = validate(
                spark,
                words.files,
                coffer=command.path,
                tasks=arguments.tasks,
                key_buckets=arguments.key_buckets,
                options=words.split,
                report_options=words.report,
                progress=arguments.progress == "plain" or (arguments.progress == "auto" and sys.stderr.isatty()),
            )
        finally:
            spark.stop()
    except CofferError as error:
        sys.stderr.write(f"{error}\n")
        return error.status
    sys.stderr.write(report.messages)
    sys.stdout.buffer.write(report.content)
    return report.status


if __name__ == "__main__":
    sys.exit(main())
