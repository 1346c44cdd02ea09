"""Validates and converts JSON backups of any size on Apache Spark, with the results of one process."""

from coffer_spark.command import CofferError
from coffer_spark.conversion import convert
from coffer_spark.validation import Report, validate

__all__ = ["CofferError", "Report", "convert", "validate"]
