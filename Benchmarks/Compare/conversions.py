"""Formatters and compressors: Coffer, and common programs."""

from dataclasses import dataclass

COFFER = ".build/release/coffer"


@dataclass(frozen=True)
class Conversion:
    """
    A command that converts a file. The file replaces `{file}` in the command, or is its standard input.

    `{file}.lz4` is the same, compressed by Coffer. Output goes to /dev/null, so that no disk is measured.
    """

    work: str
    name: str
    command: list[str]
    reads_standard_input: bool = False
    # True if the others at this work are compared with it.
    is_yardstick: bool = False
    # The required speed relative to the yardstick.
    budget: float | None = None
    discards_output: bool = True

    def accepts(self, run):
        return run.status == 0

    def prepare(self, file):
        """Prepares a turn; not measured."""


def all_conversions():
    # They take turns in this order, so that peers run in the same seconds.
    return [*_compact(), *_pretty(), *_sorted(), *_compress(), *_decompress(), *_validate()]


def _compact():
    yield _coffer("compact", "convert --compact --jobs 2", budget=2)
    yield Conversion("compact", "json_reformat -m", ["json_reformat", "-m"], reads_standard_input=True, is_yardstick=True)
    yield _coffer("compact", "convert --compact --jobs 1")
    yield Conversion("compact", "jq -c .", ["jq", "-c", ".", "{file}"])


def _pretty():
    yield _coffer("pretty", "convert --pretty --jobs 2")
    yield Conversion("pretty", "json_reformat", ["json_reformat"], reads_standard_input=True, is_yardstick=True)
    yield Conversion("pretty", "jq .", ["jq", ".", "{file}"])


def _sorted():
    yield _coffer("sort keys", "convert --sort-keys --jobs 2")
    yield Conversion("sort keys", "jq -S -c .", ["jq", "-S", "-c", ".", "{file}"], is_yardstick=True)


def _compress():
    yield _coffer("compress", "compress --jobs 2", budget=1.7)
    yield Conversion("compress", "lz4 -1", ["lz4", "-1", "-c", "{file}"], is_yardstick=True)


def _decompress():
    yield _coffer("decompress", "decompress --jobs 2", "{file}.lz4", budget=1.4)
    yield Conversion("decompress", "lz4 -d", ["lz4", "-d", "-c", "{file}.lz4"], is_yardstick=True)


def _validate():
    command = [COFFER, "validate", "--jobs", "2"]
    # At most 1.1 times the time.
    yield Conversion("validate", "coffer validate --jobs 2 x.json.lz4", [*command, "{file}.lz4"], budget=1 / 1.1)
    yield Conversion("validate", "coffer validate --jobs 2 x.json", [*command, "{file}"], is_yardstick=True)


def _coffer(work, arguments, file="{file}", budget=None):
    return Conversion(work, f"coffer {arguments}", [COFFER, *arguments.split(), file, "-"], budget=budget)
