"""Compares Coffer's verdicts on pairs of a schema and an instance (standard input, JSON Lines) with those of jsonschema-rs.

Prints every pair with different verdicts; exits with status 1 if a difference has no explanation.
"""

import json
import sys
from decimal import Decimal
from urllib.parse import urldefrag, urljoin

import jsonschema_rs

BASE = "file:///schema.json"


def schemas(value, base=BASE, pointer=""):
    """Yields all objects in a schema document except values of `const` and `enum`, each with its resource URI and pointer."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from schemas(item, base, f"{pointer}/{index}")
    if isinstance(value, dict):
        if isinstance(value.get("$id"), str):
            base, pointer = urljoin(base, value["$id"]), ""
        yield value, base, pointer
        for name, child in value.items():
            if name not in ("const", "enum"):
                yield from schemas(child, base, f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}")


def with_pointers(schema):
    """Replaces each `$ref` to a dynamic anchor by an equivalent reference by pointer."""
    schema = json.loads(dumps(schema), parse_float=Decimal)
    anchors = {f"{base}#{s['$dynamicAnchor']}": pointer for s, base, pointer in schemas(schema) if "$dynamicAnchor" in s}
    for subschema, base, _ in schemas(schema):
        target = urljoin(base, subschema["$ref"]) if isinstance(subschema.get("$ref"), str) else None
        if target in anchors:
            subschema["$ref"] = f"{urldefrag(target).url}#{anchors[target]}"
    return schema


# Why jsonschema-rs may differ though Coffer is right, each with an equivalent schema on which it must agree, so that it hides no
# other difference.
EXPLANATIONS = [
    # Core 8.2.3.1 and 8.2.2: `$ref` is resolved statically and treats a `$dynamicAnchor` as an `$anchor`; only `$dynamicRef` uses
    # the dynamic scope. jsonschema-rs 0.60.3 also uses it for `$ref` if several resources have the anchor.
    ("a $ref to a $dynamicAnchor is not dynamic", with_pointers),
]


def dumps(value):
    """Returns JSON text in which a Decimal keeps its digits, unlike with json.dumps."""
    if isinstance(value, dict):
        return "{%s}" % ", ".join(f"{json.dumps(name)}: {dumps(child)}" for name, child in value.items())
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(dumps, value))
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


def verdict(schema, instance):
    """Returns the verdict of jsonschema-rs: a bool, or an error's text."""
    try:
        return jsonschema_rs.Draft202012Validator(schema).is_valid(instance)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def main():
    count = valid = unexplained = 0
    explained = dict.fromkeys((reason for reason, _ in EXPLANATIONS), 0)
    for line in sys.stdin:
        # jsonschema-rs needs Decimals to get numbers as they were written.
        pair = json.loads(line, parse_float=Decimal)
        schema, instance, ours = pair["schema"], pair["instance"], pair["valid"]
        count += 1
        valid += ours
        theirs = verdict(schema, instance)
        if theirs == ours:
            continue
        reason = next((reason for reason, rewritten in EXPLANATIONS if verdict(rewritten(schema), instance) == ours), None)
        if reason:
            explained[reason] += 1
            continue
        unexplained += 1
        print(f"seed {pair['seed']}: Coffer says {ours}, jsonschema-rs {theirs}\n  {dumps(schema)}\n  {dumps(instance)}")
    for reason, times in explained.items():
        print(f"{times} differences because {reason}")
    print(f"{count} pairs, {valid} of them valid; {unexplained} differences without an explanation")
    return 1 if unexplained or not count else 0


if __name__ == "__main__":
    sys.exit(main())
