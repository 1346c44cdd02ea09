"""The measured programs: Coffer and common checkers."""

import glob
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
PROGRAMS = FOLDER / "Peers"

# The kinds, in the order of the table.
COFFER = "every rule"
SCHEMA = "plain JSON Schema"
SYNTAX = "syntax only"

# The faster of the two is the reference for the column "share of simdjson's speed".
REFERENCES = {"dom": "simdjson DOM", "ondemand": "simdjson On Demand"}


@dataclass(frozen=True)
class Peer:
    """A command that checks a file, or the files of a folder. Its path replaces `{file}` in the command, or the file is standard input."""

    name: str
    kind: str
    command: list[str]
    # A command that prints the version of the program, of its package or of its library.
    version_command: list[str]
    checks: str
    lacks: str = ""
    reads_standard_input: bool = False
    # Part of its output for a valid document, if the exit status isn't sufficient.
    says_when_valid: str = ""
    # True if the output is the document, not a verdict.
    discards_output: bool = False
    work: str = "check"
    # True if the others at this work are compared with it.
    is_yardstick: bool = False

    @property
    def is_reference(self):
        return self.name in REFERENCES.values()

    @property
    def knows_rules(self):
        return self.kind != SYNTAX

    @property
    def version(self):
        """What its version command prints, or a dash."""
        try:
            printed = subprocess.run(self.version_command, capture_output=True, text=True).stdout
        except FileNotFoundError:
            return "–"
        found = re.search(r"\d+(\.\d+)+", printed)
        return found[0] if found else "–"

    def prepare(self, file):
        """Prepares a turn; not measured."""

    def accepts(self, run):
        return run.status == 0 and self.says_when_valid in run.output


# Rules that plain JSON Schema can't express.
BEYOND_SCHEMAS = "keys, references, dates relative to now, comparisons of fields"


def all_peers(built: Path, schemas: dict[str, Path], jobs: list[int]):
    """
    Returns all peers.

    - built: the folder with the peers that `compare.sh` installed and compiled.
    - schemas: the rules as draft 2020-12, and as draft 4 for peers that know no other.
    - jobs: the numbers of workers of `coffer`, none if it has no such option.
    """
    # They take turns in this order, so that close competitors run in the same seconds.
    return [
        *coffer(jobs), *_syntax_checkers(built), _rapidjson(built, schemas["draft-4"]), *draft_2020_12_validators(built, schemas["2020-12"]),
    ]


def coffer(jobs):
    program = ".build/release/coffer"
    for options in [["--jobs", str(count)] for count in jobs] or [[]]:
        yield Peer(
            " ".join(["coffer validate", *options]), COFFER, [program, "validate", *options, "{file}"], [program, "--version"],
            checks="every rule: types, enums, formats, dates, keys, references, order; reports line and column",
            # The exit status doesn't show warnings and notes.
            says_when_valid=": valid (",
        )


def _rapidjson(built, schema):
    return Peer(
        "RapidJSON SchemaValidator", SCHEMA, [str(built / "rapidjson_validate"), str(schema), "{file}"], _library("RapidJSON"),
        checks="types, enums, bounds, patterns (draft 4), as a stream, to the first error",
        lacks=f"formats, `contains`, {BEYOND_SCHEMAS}",
    )


def draft_2020_12_validators(built, schema):
    python = str(built / "python/bin/python")
    yield Peer(
        "sourcemeta jsonschema", SCHEMA,
        # Without --continue, the first invalid file of a folder is the last.
        [_sourcemeta(built), "validate", "--fast", "--format-assertion", "--continue", str(schema), "{file}"], [_sourcemeta(built), "version"],
        checks="the whole schema and its formats; loads the file", lacks=BEYOND_SCHEMAS,
    )
    yield Peer(
        "jsonschema-rs", SCHEMA, [python, str(PROGRAMS / "jsonschema_rs_validate.py"), str(schema), "{file}"],
        _package(python, "jsonschema-rs"),
        checks="the whole schema and its formats, to the first error; loads the file, in Python", lacks=BEYOND_SCHEMAS,
    )
    yield Peer(
        "check-jsonschema", SCHEMA, [str(built / "python/bin/check-jsonschema"), "--schemafile", str(schema), "{file}"],
        _package(python, "check-jsonschema"), checks="the whole schema and its formats; loads the file, in Python", lacks=BEYOND_SCHEMAS,
    )


def _sourcemeta(built):
    """Returns the program in the Python package that wraps it: another package installs a command of the same name."""
    processor = {"aarch64": "arm64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    program = f"sourcemeta_jsonschema/jsonschema-{platform.system().lower()}-{processor}"
    return next(iter(glob.glob(str(built / "python/lib/python3*/site-packages" / program))), program)


def _library(name):
    """Returns the command that prints the version of a C library with its programs."""
    return ["pkg-config", "--modversion", name]


def _package(python, name):
    """Returns the command that prints the version of a Python package."""
    return [python, "-c", f"import importlib.metadata; print(importlib.metadata.version('{name}'))"]


def _syntax_checkers(built):
    python = str(built / "python/bin/python")
    yield Peer(
        "json_verify -q", SYNTAX, ["json_verify", "-q"], _library("yajl"), checks="syntax, as a stream", reads_standard_input=True,
        is_yardstick=True,
    )
    yield Peer(
        "json_reformat -m", SYNTAX, ["json_reformat", "-m"], _library("yajl"), checks="syntax, and writes the compact document, as a stream",
        reads_standard_input=True, discards_output=True,
    )
    checks = {"dom": "syntax, and builds its document in memory", "ondemand": "syntax, by reading each value; loads the file"}
    for way, name in REFERENCES.items():
        yield Peer(name, SYNTAX, [str(built / "simdjson_check"), way, "{file}"], _library("simdjson"), checks=checks[way])
    yield Peer(
        "ijson", SYNTAX, [python, str(PROGRAMS / "ijson_events.py"), "{file}"], _package(python, "ijson"), checks="syntax, as events in Python",
    )
    yield Peer(
        "sqlite3 json_valid", SYNTAX, ["sqlite3", ":memory:", "SELECT json_valid(CAST(readfile('{file}') AS TEXT))"], ["sqlite3", "--version"],
        checks="syntax; loads the file, at most 1 GB", says_when_valid="1",
    )
    yield Peer("jq empty", SYNTAX, ["jq", "empty", "{file}"], ["jq", "--version"], checks="syntax; loads the file")
    yield Peer(
        "DuckDB read_json", SYNTAX, [python, str(PROGRAMS / "duckdb_read.py"), "{file}"], _package(python, "duckdb"),
        checks="syntax, and loads the records into typed columns",
    )
