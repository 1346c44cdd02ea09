"""Backups into a database and back: Coffer beside the sqlite3 shell, which knows no JSON rules, keys or backups, but loads CSV quickly."""

import contextlib
import csv
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path

from conversions import COFFER, Conversion
from conversions_table import rows
from table import rounded, system, turns

# Two million expenses of eleven fields, and what belongs to them.
SIZE = "663MB"

PLAIN = "sqlite3 .import, plain tables"


@dataclass(frozen=True)
class Transfer(Conversion):
    """A conversion that writes the database `makes`, which is not there before each of its turns."""

    makes: str = ""

    def prepare(self, file):
        if self.makes:
            _remove(Path(self.makes.replace("{file}", str(file))))


def all_transfers():
    into = ["--into", "{file}.import.sqlite", "--mode", "replace", "--force"]
    for jobs, budget in ((2, 1.4), (1, 1)):
        yield Transfer(
            "import", f"coffer import --jobs {jobs}", [COFFER, "import", "{file}", *into, "--jobs", str(jobs)], budget=budget,
            makes="{file}.import.sqlite")
    yield _shell(PLAIN, "plain", is_yardstick=True)
    yield _shell("sqlite3 .import, Coffer's tables and indexes", "same")
    for jobs, budget in ((2, 2.5), (1, 1.5)):
        yield Transfer(
            "export", f"coffer export --jobs {jobs}", [COFFER, "export", "{file}.sqlite", "/dev/null", "--jobs", str(jobs)], budget=budget)
    yield Transfer("export", "sqlite3 -json", ["sqlite3", "-json", "{file}.sqlite", ".read '{file}.select.sql'"], is_yardstick=True)


def _shell(name, script, is_yardstick=False):
    database = f"{{file}}.{script}.sqlite"
    command = ["sqlite3", "-bail", database, f".read '{{file}}.{script}.sql'"]
    return Transfer("import", name, command, is_yardstick=is_yardstick, makes=database)


@contextlib.contextmanager
def prepared(files):
    """
    Beside each backup its database (`x.sqlite`), the CSV of its tables, and what the sqlite3 shell is told; gives the number of rows of the last one.
    """
    try:
        counts = [_prepare(file) for file in files]
        yield counts[-1]
    finally:
        for file in files:
            _remove(Path(f"{file}."))


def _prepare(file):
    database = Path(f"{file}.sqlite")
    _remove(database)
    subprocess.run([COFFER, "import", file, "--into", database], check=True, stdout=subprocess.DEVNULL)
    connection = sqlite3.connect(database)
    tables = _tables(connection)
    imports = []
    for number, table in enumerate(tables):
        _write_csv(connection, table, Path(f"{file}.{number}.csv"))
        imports.append(f".import '{file}.{number}.csv' {_quoted(table)}")
    # Indexes last, as Coffer makes them: that is faster.
    same = [*map(_lenient, _schema(connection, "table")), ".mode csv", *imports, *_schema(connection, "index")]
    Path(f"{file}.same.sql").write_text("\n".join([*same, ""]))
    Path(f"{file}.plain.sql").write_text("\n".join([*(_plain(connection, table) for table in tables), ".mode csv", *imports, ""]))
    Path(f"{file}.select.sql").write_text("\n".join(f"SELECT * FROM {_quoted(table)};" for table in tables) + "\n")
    count = sum(connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0] for table in tables)
    connection.close()
    return count


def _tables(connection):
    listed = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid")
    return [name for (name,) in listed]


def _schema(connection, kind):
    listed = connection.execute("SELECT sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL ORDER BY rowid", (kind,))
    return [f"{sql};" for (sql,) in listed]


def _write_csv(connection, table, path):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows(connection.execute(f"SELECT * FROM {_quoted(table)}"))


def _lenient(sql):
    """A table as Coffer makes it, but for its types: CSV has no null, and where the shell puts an empty text, a strict table would refuse it."""
    return sql.replace(") STRICT;", ");")


def _plain(connection, table):
    """A table with the same columns and types, and nothing else: no key, no index, no constraint."""
    columns = ", ".join(f"{_quoted(name)} {kind}" for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({_quoted(table)})"))
    return f"CREATE TABLE {_quoted(table)} ({columns});"


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _remove(path):
    """Removes a file and all whose names begin with its name: journals, and copies."""
    for each in path.parent.glob(path.name + "*"):
        if each.is_file():
            each.unlink()


def transfer_page(backup, measurements, count):
    """The whole result, a page of its own."""
    return "\n".join([
        "# Import and export", "",
        "What `Benchmarks/compare.sh --table transfer` measured last; `--publish` writes this page. `coffer import` parses JSON, checks every rule of the",
        "format, its keys and references, builds tables with keys and indexes, and checks the result; the shell's `.import` reads the same rows as CSV,",
        "made before the measurement, into tables without any key, and, in the third row, into those that Coffer makes (but not `STRICT`: CSV has no",
        "null). `coffer export` writes the backup again; `sqlite3 -json` writes the rows of its tables.", "",
        *transfer_comparison(backup, measurements, count), "",
    ])


def transfer_comparison(backup, measurements, count):
    """The table itself, for its own page and for docs/performance.md."""
    yield f"A backup of {backup.stat().st_size / 1e6:,.0f} MB in the page cache, {count:,} rows, {system()}; exports go to /dev/null."
    yield f"Seconds are medians of {turns(measurements)}. A budget is how many times as fast as its peer, which has 1.00, a command has to be."
    yield ""
    yield from rows(backup, measurements, rate=("rows a second", lambda each: rounded(count / each.seconds)))
