"""The GitHub action: its steps run in an environment like that of a runner."""
import hashlib
import json
import os
import pathlib
import re
import shutil

import yaml

from support import COFFER, PACKAGES, ROOT, FolderTest

ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = [step for step in ACTION["runs"]["steps"] if "run" in step]


class ActionTest(FolderTest):
    def setUp(self):
        super().setUp()
        for name in ["output", "path", "summary"]:
            (self.top / name).touch()
        self.environment |= {
            "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_OUTPUT": str(self.top / "output"),
            "GITHUB_PATH": str(self.top / "path"), "GITHUB_STEP_SUMMARY": str(self.top / "summary"), "RUNNER_TEMP": str(self.top),
        }

    def run_step(self, name, **inputs):
        """Runs a step as the runner does, with these inputs and the defaults of all others."""
        step, = (step for step in STEPS if step["name"] == name)
        values = {name.replace("-", "_"): str(details.get("default", "")) for name, details in ACTION["inputs"].items()} | inputs
        variables = {
            name: re.sub(
                r"\$\{\{ (?:inputs\.([\w-]+)|.*?) \}\}",
                lambda place: values[place[1].replace("-", "_")] if place[1] else "example/coffer", text)
            for name, text in step["env"].items()}
        self.write("../step.sh", step["run"])
        return self.run_in_folder(
            "bash", "--noprofile", "--norc", "-eo", "pipefail", str(self.top / "step.sh"), **variables)

    @property
    def outputs(self):
        return dict(line.split("=", 1) for line in (self.top / "output").read_text().splitlines())


class ValidateTests(ActionTest):
    def validate(self, **inputs):
        return self.run_step("Validate", **inputs)

    def test_findings_fail_the_step_and_are_reported(self):
        self.write_shop()
        step = self.validate(files="exports/*.json", rules="rules.json")
        self.assertEqual(step.returncode, 1, step)
        self.assertEqual(self.outputs["exit-status"], "1")
        sarif = pathlib.Path(self.outputs["sarif"]).read_text()
        self.assertEqual(json.loads(sarif)["version"], "2.1.0")
        self.assertIn("broken.json", (self.top / "summary").read_text())

    def test_valid_files_pass(self):
        self.write_shop()
        step = self.validate(files="exports/valid.json", rules="rules.json")
        self.assertEqual(step.returncode, 0, step)
        self.assertEqual(self.outputs["exit-status"], "0")

    def test_problem_matchers_read_the_text_report(self):
        self.write_shop()
        lines = self.validate(files="exports/broken.json", rules="rules.json").stdout.splitlines()
        self.assertEqual(lines[0], f"::add-matcher::{ROOT}/ci/github-matchers.json")
        matchers = json.loads((ROOT / "ci/github-matchers.json").read_text())["problemMatcher"]
        self.assertEqual(
            [f"::remove-matcher owner={matcher['owner']}::" for matcher in matchers], lines[-2:])
        places = [self.matches(line, matchers) for line in lines if self.matches(line, matchers)]
        file = "exports/broken.json"
        self.assertEqual(
            [(match["file"], match["line"], match["column"], match["severity"], match["code"]) for match in places],
            [(file, "1", "30", "error", "primary-key"), (file, "2", "22", "error", "foreign-key")])
        note = self.matches("a: b.json:3:1: note: text [with] brackets [some-code]", matchers)
        self.assertEqual(
            note, {"file": "a: b.json", "line": "3", "column": "1", "severity": "notice", "message": "text [with] brackets",
                   "code": "some-code"})

    @staticmethod
    def matches(line, matchers):
        """The properties of the annotation that the runner would make of a line."""
        for matcher in matchers:
            pattern, = matcher["pattern"]
            if found := re.search(pattern["regexp"], line):
                properties = {name: found[group] for name, group in pattern.items() if name != "regexp"}
                return {"severity": matcher.get("severity")} | properties
        return None

    def test_patterns_find_names_with_blanks_in_all_folders(self):
        self.write("some exports/a.json", "{}")
        self.write("some exports/more/b c.json", "{}")
        step = self.validate(files="some exports/**/*.json\n\n  some exports/more/b c.json  ", options="--syntax-only")
        self.assertEqual(step.returncode, 0, step)
        self.assertEqual(step.stdout.count("b c.json: valid"), 2, step)
        self.assertIn("some exports/a.json: valid", step.stdout)

    def test_lines_may_end_as_on_windows(self):
        self.write("a.json", "{}")
        step = self.validate(files="a.json\r\n", options="--syntax-only\r\n--quiet\r\n")
        self.assertEqual(step.returncode, 0, step)

    def test_a_pattern_without_files_fails(self):
        for files in ["exports/*.json", "", "\n"]:
            step = self.validate(files=files)
            self.assertEqual(step.returncode, 2, step)
            self.assertIn("::error title=Coffer::", step.stdout)

    def test_inputs_are_not_evaluated(self):
        for hostile in ["$(touch hacked)", "`touch hacked`", "; touch hacked;", "'; touch hacked; '", '"; touch hacked; "', "-h"]:
            for inputs in [{"files": hostile}, {"files": "a.json", "rules": hostile}, {"files": "a.json", "options": hostile}]:
                step = self.validate(**inputs)
                self.assertEqual(os.listdir(self.folder), [], step)
                if hostile != "-h":
                    self.assertNotEqual(step.returncode, 0, step)

    def test_names_of_files_are_no_commands(self):
        self.write("::error::forged.json", "{")
        lines = self.validate(files="*.json", options="--syntax-only").stdout.splitlines()
        stop = next(index for index, line in enumerate(lines) if line.startswith("::stop-commands::"))
        resume = lines.index(f"::{lines[stop].split('::')[2]}::")
        forged = [index for index, line in enumerate(lines) if "forged" in line]
        self.assertTrue(forged and all(stop < index < resume for index in forged), lines)

    def test_wrong_usage_leaves_no_report(self):
        self.write("a.json", "{}")
        step = self.validate(files="a.json", rules="no-such-format")
        self.assertEqual(step.returncode, 2, step)
        self.assertNotIn("sarif", self.outputs)


class InstallTests(ActionTest):
    """The release is a folder."""

    def setUp(self):
        super().setUp()
        (self.bin / "coffer").unlink()
        # Another one may be on the PATH of this machine.
        self.environment["PATH"] = f"{self.bin}:/usr/bin:/bin"
        self.release = self.top / f"example/coffer/releases/download/v{self.version}"
        self.release.mkdir(parents=True)
        self.tarball, = PACKAGES.glob("*.tar.gz")
        shutil.copy(self.tarball, self.release)
        shutil.copy(PACKAGES / "SHA256SUMS", self.release)
        self.environment["GITHUB_SERVER_URL"] = f"file://{self.top}"

    def install(self, **inputs):
        return self.run_step("Install Coffer", **inputs)

    @property
    def installed_version(self):
        """The version of the command that later steps find."""
        folder = (self.top / "path").read_text().splitlines()[-1]
        return self.run_checked(f"{folder}/coffer", "--version").strip()

    def test_the_tarball_of_the_release_is_installed(self):
        step = self.install()
        self.assertEqual(step.returncode, 0, step)
        self.assertEqual(self.installed_version, self.version)

    def test_a_cached_release_is_not_downloaded_again(self):
        self.assertEqual(self.install().returncode, 0)
        path, = [step["with"]["path"] for step in ACTION["runs"]["steps"] if step["name"] == "Cache the release"]
        self.assertTrue((pathlib.Path(path.replace("${{ runner.temp }}", str(self.top))) / self.tarball.name).exists())
        shutil.rmtree(self.release)
        self.assertEqual(self.install().returncode, 0)
        self.assertEqual(self.installed_version, self.version)

    def test_a_cached_release_is_checked(self):
        self.assertEqual(self.install().returncode, 0)
        with open(self.top / "coffer-release" / self.tarball.name, "ab") as tarball:
            tarball.write(b"x")
        step = self.install()
        self.assertEqual((step.returncode, "checksum" in step.stdout), (2, True), step)
        # The next run downloads it again.
        self.assertEqual(self.install().returncode, 0)

    def test_macos_has_an_old_bash_and_needs_libraries(self):
        for name, script in {"uname": "[ $# = 0 ] && echo Darwin || echo arm64", "brew": f'echo "$@" >> {self.top}/brew'}.items():
            (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
            (self.bin / name).chmod(0o755)
        name = self.tarball.name.replace(f"linux-{os.uname().machine}", "darwin-arm64")
        shutil.copy(self.tarball, self.release / name)
        self.assertEqual(self.install(sha256=hashlib.sha256(self.tarball.read_bytes()).hexdigest()).returncode, 0)
        formula = (ROOT / "ci/coffer.rb.template").read_text()
        self.assertEqual(
            (self.top / "brew").read_text().split(), ["install", "--quiet", *re.findall(r'depends_on "(\w+)"', formula)])
        # What bash 3.2 lacks.
        script = (ROOT / "ci/github.sh").read_text()
        self.assertIsNone(re.search(r"mapfile|readarray|declare -A|\$\{\w+(,,|\^\^|@)|local -n|wait -n|&>>|\|&", script))

    def test_a_wrong_checksum_is_refused(self):
        (self.release / "SHA256SUMS").write_text("0" * 64 + f"  {self.tarball.name}\n")
        for step in [self.install(), self.install(sha256="1" * 64)]:
            self.assertEqual(step.returncode, 2, step)
            self.assertIn("checksum", step.stdout)
        self.assertEqual((self.top / "path").read_text(), "")
        right = hashlib.sha256(self.tarball.read_bytes()).hexdigest()
        self.assertEqual(self.install(sha256=right).returncode, 0)
        self.assertEqual(self.install(sha256="1" * 64).returncode, 2)

    def test_a_missing_release_and_wrong_inputs_are_refused(self):
        for inputs in [{"version": "9.9.9"}, {"version": "../../1"}, {"version": "1.0.0; id"}, {"sha256": "$(id)"}]:
            step = self.install(**inputs)
            self.assertEqual(step.returncode, 2, step)
            self.assertIn("::error title=Coffer::", step.stdout)
        (self.release / "SHA256SUMS").write_text("")
        self.assertIn("doesn't list", self.install().stdout)
        self.assertEqual((self.top / "path").read_text(), "")

    def test_an_installed_version_is_kept(self):
        (self.bin / "coffer").symlink_to(COFFER)
        self.assertEqual(self.install().returncode, 0)
        self.assertEqual((self.top / "path").read_text(), "")
        # Unless a checksum says which file it must be.
        self.assertEqual(self.install(sha256=hashlib.sha256(self.tarball.read_bytes()).hexdigest()).returncode, 0)
        self.assertEqual(self.installed_version, self.version)


class MetadataTests(FolderTest):
    def test_no_script_contains_an_expression(self):
        for step in STEPS:
            self.assertNotIn("${{", step["run"])
        self.assertNotIn("${{", (ROOT / "ci/github.sh").read_text())
