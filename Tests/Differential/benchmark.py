"""Compares Coffer's verdicts on the documents of jsonschema-benchmark, and on changed copies, with those of jsonschema-rs.

Usage: benchmark.py COFFER FOLDER    FOLDER has a folder for each schema: schema.json, and instances.jsonl with a document on each line

The documents are valid; most of the copies, each with a changed, missing or additional value, are not. Prints a line for each schema;
exits with status 1 if a verdict differs.
"""

import copy
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema_rs

VALUES = [None, True, 0, -1.5, "x", "https://example.org/", [], ["x", "x"], {}, {"x": 1}]


def changed(document, generator):
    """Returns a copy with one change at a random place."""
    document = copy.deepcopy(document)
    parent, key, value = None, None, document
    while value and isinstance(value, dict | list) and generator.random() < 0.8:
        parent = value
        key = generator.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value = value[key]
    if parent is None:
        return generator.choice(VALUES)
    action = generator.randrange(4)
    if action == 0:
        del parent[key]
    elif action == 1 and isinstance(parent, dict):
        parent["x" + str(key)] = value
    else:
        parent[key] = generator.choice(VALUES)
    return document


def invalid_lines(coffer, schema, documents):
    """Returns the numbers, from 0, of the documents that Coffer finds invalid."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(document) + "\n" for document in documents)
        file.flush()
        command = [coffer, "validate", "--each", "--rules", schema, "--json", "--max-findings", "10000000", file.name]
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
        validator = jsonschema_rs.validator_for(json.loads(schema.read_text()))
        documents = [json.loads(line) for line in instances.read_text().split("\n") if line.strip()]
        generator = random.Random(schema.parent.name)
        documents += [changed(document, generator) for document in documents for _ in range(3)]
        expected = {number for number, document in enumerate(documents) if not validator.is_valid(document)}
        different = sorted(expected ^ invalid_lines(coffer, schema, documents))
        print(f"{schema.parent.name}: {len(documents)} documents, {len(expected)} invalid, {len(different)} verdicts differ")
        for number in different[:3]:
            print(f"  only {'jsonschema-rs' if number in expected else 'Coffer'} finds invalid: {json.dumps(documents[number])[:400]}")
        compared += len(documents)
        differences += len(different)
    print(f"{compared} documents, {differences} verdicts differ")
    return 1 if differences or not compared else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
