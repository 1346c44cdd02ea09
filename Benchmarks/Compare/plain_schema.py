"""Turns a rule document of Coffer's into the plain JSON Schema that other validators know.

Two dialects come of it: draft 2020-12, which is the rule document less Coffer's own vocabulary, and draft 4, the only one that RapidJSON
knows, into which what it has no word for is translated where that can be done.

A rule document splits a value's rules into branches to grade them (`allOf`, `$ref`). Where the grades are gone, so is the need for branches,
and each costs a validator time: they are joined again, as someone would write who had never had grades.
"""

# What a keyword's value is. Any other keyword is Coffer's own, and is left out.
ASSERTIONS = {
    "type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "required", "$ref",
}
SCHEMAS = {"items", "contains", "additionalProperties", "not", "if", "then", "else"}
LISTS_OF_SCHEMAS = {"allOf", "anyOf", "oneOf"}
MAPS_OF_SCHEMAS = {"properties", "patternProperties", "$defs"}

# What means something else beside a keyword of the other branch: such branches stay apart.
BOUND_TO_NEIGHBOURS = SCHEMAS - {"not"} | MAPS_OF_SCHEMAS | {"minContains", "maxContains"}

# What two values of a keyword are together; of any other they must be equal.
COMBINED = {
    "required": lambda one, other: one + other,
    "minimum": max,
    "maximum": min,
    "type": lambda one, other: _common_types(_list(one), _list(other)),
}

# The standard's format that comes closest to one of Coffer's.
STANDARD_FORMATS = {"date-time-seconds": "date-time", "date-time": "date-time", "date": "date", "time": "time", "uuid": "uuid"}

DRAFT_4_LACKS = {"format", "contains", "minContains", "maxContains", "if", "then", "else"}


def draft_2020_12(rules):
    """What `rules` say in the words of draft 2020-12."""
    plain = _standard(rules)
    definitions = {name: _joined(schema, {}) for name, schema in plain.get("$defs", {}).items()}
    small = {"#/$defs/" + name: schema for name, schema in definitions.items() if not _contains_schemas(schema)}
    plain["$defs"] = {name: schema for name, schema in plain.get("$defs", {}).items() if "#/$defs/" + name not in small}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | _joined(plain, small)


def draft_4(plain):
    """What a schema of draft 2020-12 says in the words of draft 4, without formats and `contains`, which RapidJSON can't check."""
    return _older(plain) | {"$schema": "http://json-schema.org/draft-04/schema#"}


def _mapped(schema, change):
    """`schema` with `change` made to each schema directly in it."""
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
    """The types that both lists allow. An integer is a number."""

    def allows(types, name):
        return name in types or name == "integer" and "number" in types

    both = [name for name in dict.fromkeys([*one, *other]) if allows(one, name) and allows(other, name)]
    return both[0] if len(both) == 1 else both


def _list(value):
    return value if isinstance(value, list) else [value]


# Leaving Coffer's vocabulary out


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
    """`schema` with its branches, and the small definitions that it refers to, made one where they mean the same so."""
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
    """Adds `branch` to `schema`, and says whether that could be done."""
    common = branch.keys() & schema.keys()
    if branch.keys() & BOUND_TO_NEIGHBOURS or any(key not in COMBINED and branch[key] != schema[key] for key in common):
        return False
    schema.update({key: COMBINED[key](schema[key], value) if key in common & COMBINED.keys() else value for key, value in branch.items()})
    return True


# Speaking draft 4


def _older(schema):
    if isinstance(schema, bool):
        return {} if schema else {"not": {}}
    branches = [*schema.get("allOf", []), *_alternatives(schema)]
    older = {}
    for keyword, value in schema.items():
        if keyword in DRAFT_4_LACKS | {"allOf"}:
            continue
        if keyword == "$ref" and len(schema) > 1:
            # Beside `$ref` draft 4 ignores everything else.
            branches.append({"$ref": value})
        elif keyword == "$ref":
            older["$ref"] = value.replace("#/$defs/", "#/definitions/")
        elif keyword == "const":
            older["enum"] = [value]
        elif keyword in ("exclusiveMinimum", "exclusiveMaximum"):
            older |= {keyword.replace("exclusiveM", "m"): value, keyword: True}
        elif keyword == "pattern":
            # RapidJSON's expressions have no class of blanks.
            older["pattern"] = value.replace(r"\S", "[^ \t\n\v\f\r]")
        elif keyword == "additionalProperties" and value is False:
            older[keyword] = value
        else:
            older[keyword.replace("$defs", "definitions")] = _mapped({keyword: value}, _older)[keyword]
    branches = [branch for branch in map(_older, branches) if branch]
    return older | ({"allOf": branches} if branches else {})


def _alternatives(schema):
    """`if`, `then` and `else` as draft 4 can say them."""
    if "then" in schema:
        yield {"anyOf": [{"not": schema["if"]}, schema["then"]]}
    if "else" in schema:
        yield {"anyOf": [schema["if"], schema["else"]]}
