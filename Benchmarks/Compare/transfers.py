"""Imports and exports: Coffer compared with the sqlite3 shell, which checks no rules, keys or references, but loads CSV quickly."""

import contextlib
import csv
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path

from conversions import COFFER, Conversion
from conversions_table import rows
from table import rounded, system, turns

# Two million expenses of eleven fields, with their related records.
SIZE = "663MB"

PLAIN = "sqlite3 .import, plain tables"


@dataclass(frozen=True)
class Transfer(Conversion):
    """A conversion that writes the database `makes`. Before each turn that is a copy of `{file}.sqlite`, or doesn't exist."""

    makes: str = ""
    begins_with_copy: bool = False

    def prepare(self, file):
        if not self.makes:
            return
        database = Path(self.makes.replace("{file}", str(file)))
        _remove(database)
        if self.begins_with_copy:
            shutil.copyfile(f"{file}.sqlite", database)


def all_transfers():
    into = ["--into", "{file}.import.sqlite", "--mode", "replace", "--force"]
    for jobs, budget in ((2, 1.4), (1, 1)):
        yield Transfer(
            "import", f"coffer import --jobs {jobs}", [COFFER, "import", "{file}", *into, "--jobs", str(jobs)], budget=budget,
            makes="{file}.import.sqlite")
    yield _shell(PLAIN, "plain", is_yardstick=True)
    yield _shell("sqlite3 .import, Coffer's tables and indexes", "same")
    yield from _changes()
    for jobs, budget in ((2, 2.5), (1, 1.5)):
        yield Transfer(
            "export", f"coffer export --jobs {jobs}", [COFFER, "export", "{file}.sqlite", "/dev/null", "--jobs", str(jobs)], budget=budget)
    yield Transfer("export", "sqlite3 -json", ["sqlite3", "-json", "{file}.sqlite", ".read '{file}.select.sql'"], is_yardstick=True)


def _changes():
    """Imports into a database that has the rows, compared with one into a new database. In the last two, 3 % of the rows differ."""
    new = "{file}.new.sqlite"
    yield Transfer("change", "coffer import, new database", [COFFER, "import", "{file}", "--into", new], is_yardstick=True, makes=new)
    for name, file, arguments, budget in (
        ("--mode merge, nothing changes", "{file}", ["--mode", "merge"], 1),
        ("--mode merge, 3 % of the rows", "{file}.changed.json", ["--mode", "merge", "--on-conflict", "replace"], 0.5),
        ("--mode replace, 3 % of the rows", "{file}.changed.json", ["--mode", "replace", "--force"], 0.5),
    ):
        command = [COFFER, "import", file, "--into", "{file}.target.sqlite", *arguments]
        yield Transfer("change", f"coffer import {name}", command, budget=budget, makes="{file}.target.sqlite", begins_with_copy=True)


def _shell(name, script, is_yardstick=False):
    database = f"{{file}}.{script}.sqlite"
    command = ["sqlite3", "-bail", database, f".read '{{file}}.{script}.sql'"]
    return Transfer("import", name, command, is_yardstick=is_yardstick, makes=database)


@contextlib.contextmanager
def prepared(files):
    """
    Makes, next to each backup, its database (`x.sqlite`), the CSV of its tables, and the scripts for the sqlite3 shell. Yields the number of rows of the
    last one.
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
    # Indexes last, like Coffer: that is faster.
    same = [*map(_lenient, _schema(connection, "table")), ".mode csv", *imports, *_schema(connection, "index")]
    Path(f"{file}.same.sql").write_text("\n".join([*same, ""]))
    Path(f"{file}.plain.sql").write_text("\n".join([*(_plain(connection, table) for table in tables), ".mode csv", *imports, ""]))
    Path(f"{file}.select.sql").write_text("\n".join(f"SELECT * FROM {_quoted(table)};" for table in tables) + "\n")
    count = sum(connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0] for table in tables)
    connection.close()
    _change(file, database)
    return count


def _change(file, database):
    """Writes a backup with 2 % new expenses, 0.9 % with other notes and 0.1 % missing, spread over the table."""
    changed = Path(f"{file}.changed.sqlite")
    shutil.copyfile(database, changed)
    connection = sqlite3.connect(changed)
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(expenses)")]
    values = ", ".join("id + 1000000000" if name == "id" else _quoted(name) for name in columns)
    connection.executescript(f"""
        UPDATE expenses SET notes = 'changed ' || id WHERE rowid % 111 = 7;
        DELETE FROM expenses WHERE rowid % 1000 = 500;
        INSERT INTO expenses SELECT {values} FROM expenses WHERE rowid % 50 = 3;
    """)
    connection.close()
    export = subprocess.Popen([COFFER, "export", changed, "-"], stdout=subprocess.PIPE)
    subprocess.run([COFFER, "convert", "--pretty", "-", f"{file}.changed.json"], check=True, stdin=export.stdout)
    if export.wait() != 0:
        raise RuntimeError(f"coffer export failed with exit status {export.returncode}")


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
    """Returns Coffer's table without strict types: CSV has no null, and a strict table would refuse the shell's empty strings."""
    return sql.replace(") STRICT;", ");")


def _plain(connection, table):
    """Returns a table with only the same columns and types: no keys, indexes or constraints."""
    columns = ", ".join(f"{_quoted(name)} {kind}" for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({_quoted(table)})"))
    return f"CREATE TABLE {_quoted(table)} ({columns});"


def _quoted(name):
    return '"' + name.replace('"', '""') + '"'


def _remove(path):
    """Removes all files whose names begin with that of `path`, such as journals and copies."""
    for each in path.parent.glob(path.name + "*"):
        if each.is_file():
            each.unlink()


def transfer_page(backup, measurements, count):
    """Returns the page with the full result."""
    return "\n".join([
        "# Import and export", "",
        "The latest results of `Benchmarks/compare.sh --table transfer`; `--publish` writes this page. `coffer import` parses JSON, checks all rules, keys",
        "and references of the format, builds tables with keys and indexes, and checks the result. The shell's `.import` reads the same rows from CSV,",
        "written before the measurement, into tables without keys, and in the next row into Coffer's tables (but not `STRICT`, because CSV has no null).",
        "`coffer export` writes the backup; `sqlite3 -json` writes the rows of its tables. A change is an import into a database that already has the",
        "rows, with its safety copy; 3 % of the rows are new, changed or missing, spread over the table.", "",
        *transfer_comparison(backup, measurements, count), "",
    ])


def transfer_comparison(backup, measurements, count):
    """Yields the table, for its own page and for docs/performance.md."""
    yield f"A backup of {backup.stat().st_size / 1e6:,.0f} MB in the page cache, {count:,} rows, {system()}; exports go to /dev/null."
    yield f"Seconds are medians of {turns(measurements)}. A budget is the required speed relative to the peer (1.00)."
    yield ""
    yield from rows(backup, measurements, rate=("rows per second", lambda each: rounded(count / each.seconds)))
