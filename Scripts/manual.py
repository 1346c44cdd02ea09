#!/usr/bin/env python3
"""Writes the manual pages: a page for the command and one for each verb, in mdoc.

Usage: coffer --experimental-dump-help | Scripts/manual.py FOLDER

ArgumentParser's own `generate-manual` joins the lines of examples, and declares the same exit status for every command.
The date of the pages is SOURCE_DATE_EPOCH, or today.
"""
import json
import os
import re
import sys
import textwrap
import time


def escaped(text):
    """The text without markup. Dashes of options stay ASCII, so that they can be copied."""
    text = text.replace("\\", "\\e")
    text = re.sub(r"(?<![\w-])-[\w-]*", lambda option: option[0].replace("-", "\\-"), text)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def argument(text):
    """The text as one argument of a macro."""
    return '"%s"' % escaped(text).replace('"', "\\(dq")


def prose(text):
    """A paragraph, with each sentence on a new line, as mdoc wants it."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", text)
    return [escaped(line) for sentence in sentences for line in textwrap.wrap(sentence, 72, break_on_hyphens=False)]


def literal(lines):
    indentation = min(len(line) - len(line.lstrip()) for line in lines)
    text = [line[indentation:].replace("\\", "\\e").replace("-", "\\-") for line in lines]
    return [".Bd -literal -offset indent", *(re.sub(r"^(?=[.'])", r"\\&", line) for line in text), ".Ed"]


def tagged(items):
    body = [line for tag, lines in items for line in [f".It {tag}", *lines]]
    return [".Bl -tag -width Ds", *body, ".El"] if body else []


def value(argument_info):
    return ".Ar " + argument(argument_info["valueName"])


def synopsis(command, path):
    lines, options = [".Nm " + argument(" ".join(path))], False
    for info in command["arguments"]:
        if info["kind"] == "positional":
            dots = ' "..."' if info["isRepeating"] else ""
            word = "Ar " + argument(info["valueName"]) + dots
            lines.append((".Op " if info["isOptional"] else ".") + word)
        elif not info["isOptional"]:
            lines.append(".Fl \\-" + info["preferredName"]["name"] + " Ar " + argument(info["valueName"]))
        elif not options and info["preferredName"]["name"] not in ("version", "help"):
            options = True
            lines.insert(1, ".Op Ar options")
    if command.get("subcommands"):
        lines.append(".Ar command")
    return lines


def option(info):
    """The names and the description of an option or argument."""
    tag = "Ar " + argument(info["valueName"])
    if info["kind"] != "positional":
        names = ["Fl " + ("\\-" if name["kind"] == "long" else "") + name["name"] for name in info["names"]]
        tag = " , ".join(names) + (" " + tag if info["kind"] == "option" else "")
    lines, notes = prose(info.get("abstract", "")), []
    if "allValues" in info:
        notes.append("values: " + ", ".join(info["allValues"]))
    if "defaultValue" in info and "default:" not in info.get("abstract", ""):
        notes.append("default: " + info["defaultValue"])
    return tag, lines + prose("(" + "; ".join(notes) + ")") * bool(notes)


def options(arguments):
    """The options, in the sections of the help; those without one come first."""
    sections = {}
    for info in arguments:
        if info["shouldDisplay"]:
            sections.setdefault(info.get("sectionTitle", ""), []).append(option(info))
    return [line for title, items in sorted(sections.items(), key=lambda section: section[0] != "")
            for line in [f".Ss {title}"] * bool(title) + tagged(items)]


# What all verbs share, on the page of the command.
ENVIRONMENT = [
    (".Ev NO_COLOR , CLICOLOR_FORCE , TERM", "Whether reports on a terminal have colours: not with NO_COLOR or TERM=dumb; with "
     "CLICOLOR_FORCE=1 also in a pipe."),
    (".Ev XDG_CONFIG_HOME", "The folder around coffer/formats, the user's own formats (default: ~/.config)."),
    (".Ev TMPDIR", "The folder of temporary files, which have no name (default: /tmp)."),
    (".Ev GITHUB_STEP_SUMMARY", "The file to which the report for GitHub adds a summary."),
]
FILES = [
    (".Pa coffer.yaml", "The project file, in the folder of the first input or above it: formats and rules of its files, and options of coffer validate. "
     "Verbs that apply rules read it, unless --no-config is given."),
    (".Pa ~/.config/coffer/formats/*.{json,yaml,yml}", "The user's own formats: rule documents whose backup has a name."),
    (".Pa .coffer\\-*.tmp", "An unfinished output, beside its place, where files without a name can't be written. The next run that writes "
     "there removes those of killed processes."),
]


def shared(entries, path):
    return tagged([tag.removeprefix("."), prose(text)] for tag, text in entries) if len(path) == 1 else []


def page(command, path, date):
    name = "-".join(path)
    description, examples, statuses = [], [], []
    for paragraph in filter(None, re.split(r"\n\n+", command.get("discussion", ""))):
        if paragraph.startswith("Examples:\n"):
            examples = literal(paragraph.split("\n")[1:])
        elif paragraph.startswith("Exit status: "):
            parts = re.split(r"; (?=\d)", paragraph.removeprefix("Exit status: ").rstrip("."))
            statuses = [re.match(r"([\d, and]*\d) (.*)", part).groups() for part in parts]
        elif paragraph.startswith("  "):
            description += literal(paragraph.split("\n"))
        else:
            description += [".Pp"] * bool(description) + prose(paragraph)
    verbs = [verb for verb in command.get("subcommands", []) if verb["commandName"] != "help"]
    related = [path[:-1]] if len(path) > 1 else []
    related += [path + [verb["commandName"]] for verb in verbs]
    abstract = command["abstract"].rstrip(".")
    sections = {
        "NAME": [f".Nm {name}", ".Nd " + escaped(abstract[0].lower() + abstract[1:])],
        "SYNOPSIS": synopsis(command, path),
        "DESCRIPTION": description or [escaped(command["abstract"])],
        "COMMANDS": tagged(
            ["Xr " + "-".join(path + [verb["commandName"]]) + " 1", prose(verb["abstract"])] for verb in verbs),
        "OPTIONS": options(command["arguments"]),
        "ENVIRONMENT": shared(ENVIRONMENT, path),
        "FILES": shared(FILES, path),
        "EXIT STATUS": tagged([escaped(codes), prose(text[0].upper() + text[1:] + ".")] for codes, text in statuses),
        "EXAMPLES": examples,
        "SEE ALSO": [".Xr " + " 1 ,\n.Xr ".join("-".join(other) for other in sorted(related)) + " 1"],
    }
    lines = [f".Dd {date}", f".Dt {name.upper()} 1", ".Os"]
    for title, body in sections.items():
        if body:
            lines += [f".Sh {title}", *body]
    return name, "\n".join(lines) + "\n"


def write(command, path, folder, date):
    name, text = page(command, path, date)
    with open(os.path.join(folder, name + ".1"), "w", encoding="utf-8") as file:
        file.write(text)
    for verb in command.get("subcommands", []):
        if verb["commandName"] != "help":
            write(verb, path + [verb["commandName"]], folder, date)


if __name__ == "__main__":
    folder, = sys.argv[1:]
    dump = json.load(sys.stdin)
    if dump["serializationVersion"] != 0:
        sys.exit("ArgumentParser has changed the form of its dump")
    day = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    write(dump["command"], ["coffer"], folder, time.strftime("%B ", day) + f"{day.tm_mday}, {day.tm_year}")
