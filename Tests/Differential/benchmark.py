"""Compares Coffer's verdicts on the documents of jsonschema-benchmark with those of jsonschema-rs.

Usage: benchmark.py COFFER FOLDER    FOLDER has a folder for each schema: schema.json, and instances.jsonl with a document on each line

Prints a line for each schema; exits with status 1 if a verdict differs.
"""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema_rs


def invalid_lines(coffer, schema, instances):
    """Returns the numbers, from 0, of the documents that Coffer finds invalid."""
    command = [coffer, "validate", "--each", "--rules", schema, "--json", "--max-findings", "1000000", instances]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode > 1:
        raise SystemExit(f"{schema}: {run.stderr}")
    (report,) = json.loads(run.stdout)["files"]
    return {int(finding["pointer"].split("/")[1]) for finding in report["findings"] if finding["severity"] == "error"}


def main(coffer, folder):
    differences = compared = 0
    for schema in sorted(Path(folder).glob("*/schema.json")):
        instances = schema.with_name("instances.jsonl")
        if not instances.exists():
            print(f"{schema.parent.name}: no documents")
            continue
        validator = jsonschema_rs.validator_for(json.loads(schema.read_text()), validate_formats=False)
        documents = [json.loads(line) for line in instances.read_text().split("\n") if line.strip()]
        expected = {number for number, document in enumerate(documents) if not validator.is_valid(document)}
        different = sorted(expected ^ invalid_lines(coffer, schema, instances))
        print(f"{schema.parent.name}: {len(documents)} documents, {len(expected)} invalid, {len(different)} verdicts differ {different[:5]}")
        compared += len(documents)
        differences += len(different)
    print(f"{compared} documents, {differences} verdicts differ")
    return 1 if differences or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
