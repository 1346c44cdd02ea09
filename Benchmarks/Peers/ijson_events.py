"""Reads every event of a JSON document with ijson, as a stream, on its fastest backend, which is yajl.

Usage: ijson_events.py FILE     exit status 0: well formed
"""

import collections
import sys

import ijson.backends.yajl2_c as backend

with open(sys.argv[1], "rb") as file:
    # A deque of length 0 consumes all events without keeping them, without a loop in Python.
    collections.deque(backend.basic_parse(file), maxlen=0)
