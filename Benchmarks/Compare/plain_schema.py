"""Converts a Coffer rule document into plain JSON Schema for other validators.

There are two dialects: draft 2020-12, which is the rule document without Coffer's own vocabulary, and draft 4, the only one that RapidJSON
knows; keywords that draft 4 lacks are translated if possible.

A rule document splits a value's rules into branches with their own severity (`allOf`, `$ref`). Without severities the branches are unnecessary,
and each costs a validator time: they are joined, as in a hand-written schema.
"""

# Keywords by the type of their value. All other keywords are Coffer's own and are removed.
ASSERTIONS = {
    "type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "required", "$ref",
}
SCHEMAS = {"items", "contains", "additionalProperties", "not", "if", "then", "else"}
LISTS_OF_SCHEMAS = {"allOf", "anyOf", "oneOf"}
MAPS_OF_SCHEMAS = {"properties", "patternProperties", "$defs"}

# Keywords whose meaning depends on neighbours: their branches can't be joined.
BOUND_TO_NEIGHBOURS = SCHEMAS - {"not"} | MAPS_OF_SCHEMAS | {"minContains", "maxContains"}

# Combinations of two values of a keyword; values of other keywords must be equal.
COMBINED = {
    "required": lambda one, other: one + other,
    "minimum": max,
    "maximum": min,
    "type": lambda one, other: _common_types(_list(one), _list(other)),
}

# The closest standard formats to Coffer's.
STANDARD_FORMATS = {"date-time-seconds": "date-time", "date-time": "date-time", "date": "date", "time": "time", "uuid": "uuid"}

DRAFT_4_LACKS = {"format", "contains", "minContains", "maxContains", "if", "then", "else"}


def draft_2020_12(rules):
    """Returns `rules` in draft 2020-12."""
    plain = _standard(rules)
    definitions = {name: _joined(schema, {}) for name, schema in plain.get("$defs", {}).items()}
    small = {"#/$defs/" + name: schema for name, schema in definitions.items() if not _contains_schemas(schema)}
    plain["$defs"] = {name: schema for name, schema in plain.get("$defs", {}).items() if "#/$defs/" + name not in small}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | _joined(plain, small)


def draft_4(plain):
    """Returns a schema of draft 2020-12 in draft 4, without formats and `contains`, which RapidJSON can't check."""
    return _older(plain) | {"$schema": "http://json-schema.org/draft-04/schema#"}


def _mapped(schema, change):
    """Returns `schema` with `change` applied to each direct subschema."""
    mapped = {}
    for keyword, value in schema.items():
        if keyword in SCHEMAS:
            value = change(value)
        elif keyword in LISTS_OF_SCHEMAS:
            value = [change(branch) for branch in value]
        elif keyword in MAPS_OF_SCHEMAS:
            value = {name: change(member) for name, member in value.items()}
        mapped[keyword] = value
    return mapped


def _contains_schemas(schema):
    return isinstance(schema, dict) and bool(schema.keys() & (SCHEMAS | LISTS_OF_SCHEMAS | MAPS_OF_SCHEMAS | {"$ref"}))


def _common_types(one, other):
    """Returns the types that both lists allow. An integer is a number."""

    def allows(types, name):
        return name in types or name == "integer" and "number" in types

    both = [name for name in dict.fromkeys([*one, *other]) if allows(one, name) and allows(other, name)]
    return both[0] if len(both) == 1 else both


def _list(value):
    return value if isinstance(value, list) else [value]


# Removing Coffer's vocabulary


def _standard(schema):
    if isinstance(schema, bool):
        return schema
    kept = {}
    for keyword, value in schema.items():
        if keyword in SCHEMAS | LISTS_OF_SCHEMAS | MAPS_OF_SCHEMAS:
            kept[keyword] = value
        elif keyword in ASSERTIONS and not _is_reference_to_data(value):
            kept[keyword] = value
        elif keyword == "format" and value in STANDARD_FORMATS:
            kept[keyword] = STANDARD_FORMATS[value]
    plain = _mapped(kept, _standard)
    return False if plain == {"not": {}} else plain


def _is_reference_to_data(value):
    return isinstance(value, dict) and "$data" in value


# Joining branches


def _joined(schema, definitions):
    """Returns `schema` joined with its branches and with the small definitions that it refers to, if the meaning stays the same."""
    if isinstance(schema, bool):
        return schema
    schema = _mapped(schema, lambda inner: _joined(inner, definitions))
    joined = {keyword: value for keyword, value in schema.items() if keyword not in ("$ref", "allOf")}
    apart = []
    for branch in _branches(schema, definitions):
        if branch is False:
            return False
        if branch is not True and not _join(branch, joined):
            apart.append(branch)
    if "exclusiveMinimum" in joined and joined.get("minimum", 0) <= joined["exclusiveMinimum"]:
        joined.pop("minimum", None)
    if joined.get("type") == []:
        return False
    return joined | ({"allOf": apart} if apart else {})


def _branches(schema, definitions):
    if "$ref" in schema:
        yield definitions.get(schema["$ref"], {"$ref": schema["$ref"]})
    yield from schema.get("allOf", [])


def _join(branch, schema):
    """Adds `branch` to `schema` if possible; returns True if it was added."""
    common = branch.keys() & schema.keys()
    if branch.keys() & BOUND_TO_NEIGHBOURS or any(key not in COMBINED and branch[key] != schema[key] for key in common):
        return False
    schema.update({key: COMBINED[key](schema[key], value) if key in common & COMBINED.keys() else value for key, value in branch.items()})
    return True


# Draft 4


def _older(schema):
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    branches = [*schema.get("allOf", []), *_alternatives(schema)]
    older = {}
    for keyword, value in schema.items():
        if keyword in DRAFT_4_LACKS | {"allOf"}:
            continue
        if keyword == "$ref" and len(schema) > 1:
            # Draft 4 ignores everything next to `$ref`.
            branches.append({"$ref": value})
        elif keyword == "$ref":
            older["$ref"] = value.replace("#/$defs/", "#/definitions/")
        elif keyword == "const":
            older["enum"] = [value]
        elif keyword in ("exclusiveMinimum", "exclusiveMaximum"):
            older |= {keyword.replace("exclusiveM", "m"): value, keyword: True}
        elif keyword == "pattern":
            # RapidJSON's expressions have no class for white space.
            older["pattern"] = value.replace(r"\S", "[^ \t\n\v\f\r]")
        elif keyword == "additionalProperties" and value is False:
            older[keyword] = value
        else:
            older[keyword.replace("$defs", "definitions")] = _mapped({keyword: value}, _older)[keyword]
    branches = [branch for branch in map(_older, branches) if branch]
    return older | ({"allOf": branches} if branches else {})


def _alternatives(schema):
    """Yields `if`, `then` and `else` in draft 4."""
    if "then" in schema:
        yield {"anyOf": [{"not": schema["if"]}, schema["then"]]}
    if "else" in schema:
        yield {"anyOf": [schema["if"], schema["else"]]}
