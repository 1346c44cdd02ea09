"""Reads a JSON document with DuckDB: every collection, into columns with inferred types, and counts their records.

Usage: duckdb_read.py FILE     exit status 0: it could be read
"""

import os
import sys

import duckdb

path = sys.argv[1]
collections = ("cars", "expenses", "plannedMaintenance", "delayedNotifications", "documents", "ideas")
counts = ", ".join(f"len({name})" for name in collections)
# DuckDB sees the document as one record: allow records as large as the file.
query = f"SELECT {counts} FROM read_json(?, maximum_object_size = {os.path.getsize(path) + 1})"
print(duckdb.execute(query, [path]).fetchall())
