#!/usr/bin/env python3
"""Writes an assembler file with part of the ICU data in Swift's static Foundation. Linked first, it replaces the full data.

Usage: Scripts/reduce-icu.py LIB_FOUNDATIONICU.A OUTPUT.S

ICU's 34 MB of data would be almost half of the command. 6 MB stay: what compares strings, because an app's SQLite indexes may be in the order
of a locale, and properties of characters. For the package's layout see ICU's ucmndata.h.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

# Breaks between words and lines; names of currencies, languages, regions, units and time zones; spelled-out numbers; transliteration; converters
# for non-Unicode encodings; each language's formats of numbers and dates, in a file such as de_AT.res.
LEFT_OUT = re.compile(r"^[^/]+/((brkitr|curr|lang|rbnf|region|translit|unit|zone)/|[^/]+\.cnv$|[a-z]{2,3}(_\w+)?\.res$)")
ALIGNMENT = 16


def package_in(library):
    """Returns the name of ICU's data in a static library, and its bytes."""
    with tempfile.TemporaryDirectory() as folder:
        symbols = subprocess.run(["nm", "-A", "--defined-only", library], capture_output=True, text=True).stdout
        found = re.search(r":([^:\n]+):[0-9a-f]+ \w (icudt\d+_dat)\n", symbols)
        if not found:
            sys.exit(f"no ICU data in {library}")
        member, symbol = found.groups()
        subprocess.run(["ar", "x", library, member], cwd=folder, check=True)
        data = pathlib.Path(folder) / "data"
        # The member contains nothing else.
        subprocess.run(["objcopy", "-O", "binary", "-j", ".rodata", member, data], cwd=folder, check=True)
        return symbol, data.read_bytes()


def reduced(package):
    header_size, = struct.unpack_from("<H", package)
    if package[12:16] != b"CmnD":
        sys.exit("ICU's data has an unexpected layout")
    body = package[header_size:]
    count, = struct.unpack_from("<I", body)
    rows = [struct.unpack_from("<II", body, 4 + 8 * index) for index in range(count)]
    ends = [start for _, start in rows[1:]] + [len(body)]
    entries = []
    for (name, start), end in zip(rows, ends):
        text = body[name:body.index(b"\0", name)]
        if not LEFT_OUT.search(text.decode()):
            entries.append((text, body[start:end]))
    names = b"".join(text + b"\0" for text, _ in entries)
    position = 4 + 8 * len(entries)
    start = -(-(position + len(names)) // ALIGNMENT) * ALIGNMENT
    table, data = bytearray(), bytearray()
    for text, content in entries:
        table += struct.pack("<II", position, start + len(data))
        position += len(text) + 1
        data += content + bytes(-len(content) % ALIGNMENT)
    head = struct.pack("<I", len(entries)) + table + names
    return package[:header_size] + head + bytes(start - len(head)) + data


library, output = sys.argv[1], pathlib.Path(sys.argv[2])
symbol, package = package_in(library)
data = output.with_suffix(".dat")
data.write_bytes(reduced(package))
output.write_text(f"""\
.section .rodata
.globl {symbol}
.hidden {symbol}
.type {symbol}, @object
.balign {ALIGNMENT}
{symbol}:
.incbin "{data}"
.size {symbol}, . - {symbol}
.section .note.GNU-stack, "", @progbits
""")
