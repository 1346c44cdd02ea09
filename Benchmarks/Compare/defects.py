"""Small backups with one defect each, which a checker must reject."""

import subprocess
from dataclasses import dataclass

from measuring import run

# Kinds of defects for `coffer generate`. Each seed gives another variant of a kind.
PLANTED = (
    "required", "type", "format", "enum", "range", "unknown", "dialect", "version", "consistency", "order", "future", "duplicate", "reference",
)
SEEDS = (1, 2, 3, 4)

# Functions that turn a valid document into malformed JSON.
DAMAGES = {
    "cut off": lambda document: document[: len(document) // 2],
    "a comma too many": lambda document: document.rstrip().removesuffix(b"}") + b",}",
    "a bare control character": lambda document: _with_note(document, b"\x01"),
    "bytes that are not UTF-8": lambda document: _with_note(document, b"\xff"),
    "half of a surrogate pair": lambda document: _with_note(document, rb"\uD800"),
}


@dataclass(frozen=True)
class Discoveries:
    """The number of files of each kind that a peer rejected."""

    peer: object
    planted: dict[str, int]
    damages: dict[str, int]


def discover(peers, coffer, folder, progress):
    """Runs every peer on a file for each damage, and peers with rules also on the planted defects."""
    folder.mkdir(exist_ok=True)
    valid = _generated(coffer, folder / "valid.json", 1).read_bytes()
    results = [Discoveries(peer, {}, {}) for peer in peers]
    for damage, spoil in DAMAGES.items():
        progress(f"damage: {damage}")
        file = folder / "damaged.json"
        file.write_bytes(spoil(valid))
        for result in results:
            result.damages[damage] = _finds(result.peer, file)
    for kind in PLANTED:
        progress(f"planted defects: {kind}")
        files = [_generated(coffer, folder / f"{kind}-{seed}.json", seed, "--defect", f"{kind}=1") for seed in SEEDS]
        for result in results:
            if result.peer.knows_rules:
                result.planted[kind] = sum(_finds(result.peer, file) for file in files)
    return results


def _finds(peer, file):
    return not peer.accepts(run(peer, file))


def _generated(coffer, file, seed, *options):
    subprocess.run(
        [coffer, "generate", "ev-charging-tracker", file, "--force", "--size", "50kB", "--seed", str(seed), *options],
        check=True, stderr=subprocess.DEVNULL)
    return file


def _with_note(document, text):
    """Returns `document` with `text` at the start of its first note."""
    return document.replace(b'"notes": "', b'"notes": "' + text, 1)
