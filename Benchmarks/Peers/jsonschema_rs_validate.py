"""Validates a JSON document against a JSON Schema (draft 2020-12) with jsonschema-rs, which evaluates a document that Python has loaded.

Usage: jsonschema_rs_validate.py SCHEMA FILE     exit status 0: sound, 1: it breaks the schema
"""

import json
import sys

import jsonschema_rs

schema_path, path = sys.argv[1:]
with open(schema_path, "rb") as file:
    validator = jsonschema_rs.Draft202012Validator(json.load(file), validate_formats=True)
with open(path, "rb") as file:
    sys.exit(0 if validator.is_valid(json.load(file)) else 1)
