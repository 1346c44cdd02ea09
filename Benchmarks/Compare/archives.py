"""Backups in ZIP archives: Coffer compared with general archive programs."""

import hashlib
import json
import os
from pathlib import Path

from conversions import COFFER, Conversion
from conversions_table import rows
from table import system, turns

# Random bytes instead of photos: neither compress, and no program decodes them.
PHOTO = 2_000_000
PHOTOS = 500


def all_archive_works():
    yield _coffer("check", "validate", "{file}", budget=1 / 1.3)
    yield Conversion("check", "unzip -tq", ["unzip", "-tq", "{file}"], is_yardstick=True)
    yield _coffer("pack", "pack", "{file}.folder", "-", budget=1 / 1.2)
    yield Conversion("pack", "zip -0 -q -r", ["sh", "-c", 'cd "{file}.folder" && zip -0 -q -r - metadata.json photos'], is_yardstick=True)


def _coffer(work, command, *paths, budget):
    return Conversion(work, f"coffer {command}", [COFFER, command, *paths], budget=budget)


def write_folder(folder: Path, count):
    """Writes an unpacked backup of `count` photos, for `coffer pack`."""
    (folder / "photos").mkdir(parents=True, exist_ok=True)
    created = 1_759_330_000_000
    photos, manifest = [], []
    for number in range(1, count + 1):
        content = os.urandom(PHOTO)
        name, path = f"{number}_photo.jpg", f"/photos/{number}.jpg"
        (folder / "photos" / name).write_bytes(content)
        photos.append({
            "id": number, "path": path, "categoryId": 1, "name": f"{number}.jpg", "isFromAssets": False, "createdAt": created,
            "fileSize": PHOTO, "width": 1200, "height": 900,
        })
        manifest.append({
            "photoId": number, "originalPath": path, "zipEntryName": f"photos/{name}", "fileName": name, "fileSize": PHOTO,
            "checksum": hashlib.md5(content).hexdigest(),
        })
    category = {
        "id": 1, "name": "family", "displayName": "Family", "position": 0, "colorHex": "#E91E63", "isDefault": True, "createdAt": created,
    }
    settings = {
        "isDarkMode": False,
        "securitySettings": {"hasPIN": False, "hasPattern": False, "kidSafeModeEnabled": True, "deleteProtectionEnabled": False},
    }
    document = {
        "version": 2, "exportDate": created, "appVersion": "25.10.02.002", "format": "ZIP", "categories": [category], "photos": photos,
        "settings": settings, "photoManifest": manifest,
    }
    (folder / "metadata.json").write_text(json.dumps(document, indent=2))


def archives_page(archive, measurements):
    """Returns the page with the full result."""
    return "\n".join([
        "# ZIP backups", "",
        "The latest results of `Benchmarks/compare.sh --table archives`; `--publish` writes this page. `unzip -t` compares each entry with its checksum;",
        "`coffer validate` also compares every photo's size and MD5 digest with the document, and checks the document against all rules of its format.", "",
        *archives_comparison(archive, measurements), "",
    ])


def archives_comparison(archive, measurements):
    """Yields the table, for its own page and for docs/performance.md."""
    yield f"A backup of {PHOTOS} photos of 2 MB in the page cache, {system()}; output goes to /dev/null."
    yield f"Seconds are medians of {turns(measurements)}. A budget is the required speed relative to the peer (1.00)."
    yield ""
    yield from rows(archive, measurements)
