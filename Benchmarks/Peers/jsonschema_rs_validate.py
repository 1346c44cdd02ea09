"""Validates JSON documents against a JSON Schema (draft 2020-12) with jsonschema-rs, which evaluates a document that Python has loaded.

Usage: jsonschema_rs_validate.py SCHEMA FILE|FOLDER     exit status 0: sound, 1: one breaks the schema or is no JSON; prints the names of these
"""

import json
import os
import sys

import jsonschema_rs

schema_path, path = sys.argv[1:]
with open(schema_path, "rb") as file:
    validator = jsonschema_rs.Draft202012Validator(json.load(file), validate_formats=True)


def is_valid(path):
    with open(path, "rb") as file:
        try:
            return validator.is_valid(json.load(file))
        except ValueError:
            return False


files = sorted(entry.path for entry in os.scandir(path)) if os.path.isdir(path) else [path]
invalid = [file for file in files if not is_valid(file)]
print("\n".join(invalid))
sys.exit(1 if invalid else 0)
