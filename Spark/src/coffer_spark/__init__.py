"""Validates JSON backups on Apache Spark, with the report of one process."""

from coffer_spark.validation import CofferError, Report, validate

__all__ = ["CofferError", "Report", "validate"]
