"""What is measured: Coffer, and the programs that people use today."""

import glob
import platform
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
PROGRAMS = FOLDER / "Peers"

# The kinds, in the order in which they are shown.
COFFER = "every rule"
SCHEMA = "plain JSON Schema"
SYNTAX = "syntax alone"

YARDSTICK = "json_verify -q"
# The faster of the two is the reference for the column "share of simdjson's speed".
REFERENCES = {"dom": "simdjson DOM", "ondemand": "simdjson On Demand"}


@dataclass(frozen=True)
class Peer:
    """A command that checks the file which stands for `{file}` in it, or is its standard input."""

    name: str
    kind: str
    command: list[str]
    checks: str
    lacks: str = ""
    reads_standard_input: bool = False
    # A part of its output for a valid document, if the exit status alone doesn't show that.
    says_when_valid: str = ""
    # What it writes is the document again, and no verdict.
    discards_output: bool = False
    work = "check"

    @property
    def is_yardstick(self):
        return self.name == YARDSTICK

    @property
    def is_reference(self):
        return self.name in REFERENCES.values()

    @property
    def knows_rules(self):
        return self.kind != SYNTAX

    def prepare(self, file):
        """Is called before each turn, and not measured."""

    def accepts(self, run):
        return run.status == 0 and self.says_when_valid in run.output


# What no plain JSON Schema can say.
BEYOND_SCHEMAS = "keys, references, dates relative to now, one field beside another"


def all_peers(built: Path, schemas: dict[str, Path], jobs: list[int]):
    """
    - built: the folder with the peers that `compare.sh` installed and compiled.
    - schemas: the rules as draft 2020-12 and draft 4, for those who know no other.
    - jobs: the numbers of workers that `coffer` is to be measured with, none if it can't be told.
    """
    # In this order they take turns: what is compared most closely runs in the same seconds.
    return [*_coffer(jobs), *_syntax_checkers(built), *_schema_validators(built, schemas)]


def _coffer(jobs):
    validate = [".build/release/coffer", "validate"]
    for options in [["--jobs", str(count)] for count in jobs] or [[]]:
        yield Peer(
            " ".join(["coffer validate", *options]), COFFER, [*validate, *options, "{file}"],
            checks="every rule: types, enums, formats, dates, keys, references, order; says line and column",
            # The exit status doesn't show warnings and notes.
            says_when_valid=": valid (",
        )


def _schema_validators(built, schemas):
    python = str(built / "python/bin/python")
    yield Peer(
        "RapidJSON SchemaValidator", SCHEMA, [str(built / "rapidjson_validate"), str(schemas["draft-4"]), "{file}"],
        checks="types, enums, bounds, patterns (draft 4), as a stream, to the first error",
        lacks=f"formats, `contains`, {BEYOND_SCHEMAS}",
    )
    yield Peer(
        "sourcemeta jsonschema", SCHEMA,
        [_sourcemeta(built), "validate", "--fast", "--format-assertion", str(schemas["2020-12"]), "{file}"],
        checks="the whole schema and its formats; loads the file", lacks=BEYOND_SCHEMAS,
    )
    yield Peer(
        "jsonschema-rs", SCHEMA, [python, str(PROGRAMS / "jsonschema_rs_validate.py"), str(schemas["2020-12"]), "{file}"],
        checks="the whole schema and its formats, to the first error; loads the file, in Python", lacks=BEYOND_SCHEMAS,
    )
    yield Peer(
        "check-jsonschema", SCHEMA, [str(built / "python/bin/check-jsonschema"), "--schemafile", str(schemas["2020-12"]), "{file}"],
        checks="the whole schema and its formats; loads the file, in Python", lacks=BEYOND_SCHEMAS,
    )


def _sourcemeta(built):
    """The program itself, out of the Python package that wraps it: another package installs a command of the same name."""
    processor = {"aarch64": "arm64", "AMD64": "x86_64"}.get(platform.machine(), platform.machine())
    program = f"sourcemeta_jsonschema/jsonschema-{platform.system().lower()}-{processor}"
    return next(iter(glob.glob(str(built / "python/lib/python3*/site-packages" / program))), program)


def _syntax_checkers(built):
    python = str(built / "python/bin/python")
    yield Peer(YARDSTICK, SYNTAX, ["json_verify", "-q"], checks="syntax, as a stream", reads_standard_input=True)
    yield Peer(
        "json_reformat -m", SYNTAX, ["json_reformat", "-m"], checks="syntax, and writes the document again, compact, as a stream",
        reads_standard_input=True, discards_output=True,
    )
    checks = {"dom": "syntax, and builds its document in memory", "ondemand": "syntax, as it asks for each value; loads the file"}
    for way, name in REFERENCES.items():
        yield Peer(name, SYNTAX, [str(built / "simdjson_check"), way, "{file}"], checks=checks[way])
    yield Peer("ijson", SYNTAX, [python, str(PROGRAMS / "ijson_events.py"), "{file}"], checks="syntax, as events in Python")
    yield Peer(
        "sqlite3 json_valid", SYNTAX, ["sqlite3", ":memory:", "SELECT json_valid(CAST(readfile('{file}') AS TEXT))"],
        checks="syntax; loads the file, at most 1 GB", says_when_valid="1",
    )
    yield Peer("jq empty", SYNTAX, ["jq", "empty", "{file}"], checks="syntax; loads the file")
    yield Peer(
        "DuckDB read_json", SYNTAX, [python, str(PROGRAMS / "duckdb_read.py"), "{file}"],
        checks="syntax, and loads the records into typed columns",
    )
