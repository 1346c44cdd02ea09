"""The measurements as a picture: bars of throughput, and next to them peak memory on a logarithmic scale."""

import math
from xml.sax.saxutils import escape

from peers import COFFER, SCHEMA, SYNTAX

WIDTH, ROW, GAP, TOP = 900, 24, 30, 76
NAMES = 210
SPEED = (224, 520)
MEMORY = (600, 830)
# The scale of memory, MiB.
LEAST, DECADES = 1, 4

CLASSES = {COFFER: "coffer", SCHEMA: "schema", SYNTAX: "syntax"}

# The picture has its own background, so that it is readable on a page of any colour. No custom properties: not every renderer supports them.
STYLE = """
  text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .note, .scale { fill: #636c76; font-size: 12px }
  .number { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round }
  .ground { fill: #ffffff; stroke: #d8dee4 }
  .line { stroke: #d8dee4 }
  .coffer { fill: #0a7f6b } .schema { fill: #b35900 } .syntax { fill: #7d8590 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note, .scale { fill: #9198a1 }
    .number { stroke: #161b22 }
    .ground { fill: #161b22; stroke: #30363d }
    .line { stroke: #30363d }
    .coffer { fill: #2dbfa3 } .schema { fill: #e08a3c } .syntax { fill: #8b949e }
  }
"""


def plot(size, measurements):
    """Returns an SVG of the measurements on a file of `size` bytes."""
    groups = [(kind, _of_kind(kind, measurements)) for kind in CLASSES]
    groups = [(kind, group) for kind, group in groups if group]
    height = TOP + sum(GAP + ROW * len(group) for _, group in groups) + 34
    fastest = max((size / each.seconds / 1e6 for each in measurements if each.runs), default=1)
    body = [*_head(size), *_scale(height)]
    y = TOP
    for kind, group in groups:
        body.append(_text(20, y + 18, f"Checks {kind}", "note"))
        y += GAP
        for measurement in group:
            body += _row(y, measurement, size, fastest)
            y += ROW
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"',
        '     aria-label="Throughput and peak memory of Coffer and other programs">',
        f"<style>{STYLE}</style>", f'<rect class="ground" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="8"/>',
        *body, "</svg>", "",
    ])


def _of_kind(kind, measurements):
    """Returns the measurements of a kind, fastest first, missing ones last."""
    of_kind = [each for each in measurements if each.peer.kind == kind]
    return sorted(of_kind, key=lambda each: each.seconds if each.runs else math.inf)


def _head(size):
    yield _text(20, 30, f"Checking a backup of {size / 1e6:,.0f} MB", "title")
    yield _text(SPEED[0], 58, "MB per second (longer is better)", "note")
    yield _text(MEMORY[0], 58, "peak MiB (logarithmic; shorter is better)", "note")


def _scale(height):
    for decade in range(DECADES + 1):
        x = MEMORY[0] + (MEMORY[1] - MEMORY[0]) * decade / DECADES
        yield f'<line class="line" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 28}"/>'
        yield _text(x, height - 12, f"{LEAST * 10**decade:,}", "scale", "middle")
    yield f'<line class="line" x1="{SPEED[0]}" x2="{SPEED[0]}" y1="{TOP - 8}" y2="{height - 28}"/>'


def _row(y, measurement, size, fastest):
    peer = measurement.peer
    yield _text(NAMES, y + 16, peer.name, anchor="end")
    if not measurement.runs:
        yield _text(SPEED[0] + 8, y + 16, measurement.note, "note")
        return
    speed = size / measurement.seconds / 1e6
    yield from _bar(y, SPEED[0], (SPEED[1] - SPEED[0]) * speed / fastest, CLASSES[peer.kind], _number(speed))
    peak = measurement.peak / 2**20
    share = min(1, max(0, math.log10(peak / LEAST) / DECADES))
    yield from _bar(y, MEMORY[0], (MEMORY[1] - MEMORY[0]) * share, CLASSES[peer.kind], _number(peak))


def _bar(y, x, length, kind, label):
    yield f'<rect class="{kind}" x="{x}" y="{y + 4}" width="{max(length, 2):.1f}" height="{ROW - 8}" rx="2"/>'
    yield _text(x + max(length, 2) + 6, y + 16, label, "number")


def _number(value):
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _text(x, y, text, kind=None, anchor=None):
    attributes = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text x="{x:.1f}" y="{y:.1f}"{attributes}>{escape(text)}</text>'
