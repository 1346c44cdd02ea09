"""Validates JSON backups of any size with the command coffer, which this package brings.

    report = coffer.validate("export.json", rules="rules.json")
    for finding in report.findings:
        print(finding.line, finding.pointer, finding.message)

The command reads the document in bounded memory, on all processors. Reports keep at most `max_findings` findings, and count all.
"""

from coffer._command import CofferError, find_command
from coffer._reports import Counts, Finding, Problem, Record, Report, Severity, validate, validate_all

__all__ = [
    "CofferError",
    "Counts",
    "Finding",
    "Problem",
    "Record",
    "Report",
    "Severity",
    "find_command",
    "validate",
    "validate_all",
]
