"""The script for spark-submit: `spark-submit -m coffer_spark` or `coffer-spark`."""

from __future__ import annotations

import argparse
import sys

from pyspark.sql import SparkSession

from coffer_spark.validation import CofferError, validate


def main() -> int:
    """Validate files; the exit status is that of coffer validate."""
    parser = argparse.ArgumentParser(prog="coffer-spark", description="Validate JSON backups on Apache Spark.")
    parser.add_argument("file", nargs="+", help="a path that the driver and all executors can read")
    parser.add_argument("--coffer", help="the command (default: the one on the PATH)")
    parser.add_argument("--tasks", type=int, help="the number of tasks (default: twice the default parallelism)")
    parser.add_argument("--report", action="append", default=[], metavar="FORMAT=FILE", help="another report; may be repeated")
    arguments, options = parser.parse_known_args()
    reports = dict(word.split("=", 1) for word in arguments.report)
    spark = SparkSession.builder.appName("coffer").getOrCreate()
    try:
        report = validate(
            spark, arguments.file, coffer=arguments.coffer, tasks=arguments.tasks, options=options, reports=reports)
    except CofferError as error:
        sys.stderr.write(f"{error}\n")
        return error.status
    finally:
        spark.stop()
    sys.stdout.write(report.text)
    return report.status


if __name__ == "__main__":
    sys.exit(main())
