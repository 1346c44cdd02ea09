"""The examples of docs/ci.md: files, whose names are in their first lines, and commands."""
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree

import yaml

from support import PACKAGES, ROOT, FolderTest

TEXT = (ROOT / "docs/ci.md").read_text()
EXAMPLES = {
    name: f"{comment} {name}\n{text}"
    for comment, name, text in re.findall(r"^```(?:yaml|groovy)\n(#|//) (\S+)\n(.*?)^```$", TEXT, re.M | re.S)}

COMMANDS = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.M | re.S)


class ExampleTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.write_shop()

    def check_schema(self, schema, name):
        self.write(name, EXAMPLES[name])
        result = self.run_in_folder("check-jsonschema", "--builtin-schema", schema, name)
        self.assertEqual(result.returncode, 0, result)

    def check_reports(self):
        xml.etree.ElementTree.parse(self.folder / "coffer-junit.xml")
        for name in ["gl-code-quality-report.json", "coffer.sarif"]:
            if (self.folder / name).exists():
                json.loads((self.folder / name).read_text())

    def test_every_block_is_an_example(self):
        self.assertEqual(
            set(EXAMPLES), {".github/workflows/backups.yml", ".gitlab-ci.yml", "Jenkinsfile", ".pre-commit-config.yaml"})
        self.assertEqual(len(EXAMPLES) + len(COMMANDS), TEXT.count("```") // 2)

    def test_baseline(self):
        self.write("exports/export.json", (self.folder / "exports/broken.json").read_text())
        commands, = COMMANDS
        result = self.run_in_folder("sh", "-ec", commands)
        self.assertEqual(result.returncode, 0, result)
        sarif, = json.loads((self.folder / "coffer.sarif").read_text())["runs"]
        self.assertEqual([finding["baselineState"] for finding in sarif["results"]], ["unchanged", "unchanged"])

    def test_github(self):
        name = ".github/workflows/backups.yml"
        self.check_schema("vendor.github-workflows", name)
        action = yaml.safe_load((ROOT / "action.yml").read_text())
        step = yaml.safe_load(EXAMPLES[name])["jobs"]["validate"]["steps"][-1]
        self.assertRegex(step["uses"], r"^OWNER/coffer@v[\d.]+$")
        self.assertLessEqual(set(step["with"]), set(action["inputs"]))
        for documented in [*action["inputs"], *action["outputs"]]:
            self.assertIn(f"`{documented}`", TEXT)

    def test_gitlab(self):
        self.check_schema("vendor.gitlab-ci", ".gitlab-ci.yml")
        template = yaml.safe_load((ROOT / "ci/gitlab.yml").read_text())
        variables = template["variables"] | yaml.safe_load(EXAMPLES[".gitlab-ci.yml"])["variables"]
        self.assertEqual(set(variables), set(template["variables"]))

        def job():
            return self.run_in_folder("sh", "-ec", "\n".join(template["coffer"]["script"]), **variables)

        result = job()
        self.assertEqual(result.returncode, 1, result)
        artifacts = template["coffer"]["artifacts"]
        for name in [*artifacts["reports"].values(), *artifacts["paths"]]:
            self.assertTrue((self.folder / name).exists(), name)
        self.check_reports()
        (self.folder / "exports/broken.json").unlink()
        self.assertEqual(job().returncode, 0)
        (self.folder / "exports/valid.json").unlink()
        self.assertEqual(job().returncode, 3)
        variables["COFFER_FILES"] = ""
        self.assertEqual(job().returncode, 2)

    def test_jenkins(self):
        text = EXAMPLES["Jenkinsfile"]
        script, = re.findall(r"sh '''(.*?)'''", text, re.S)
        # Groovy's ''' strings read \ and a line break as a continued line.
        script = script.replace("\\\n", "")
        self.assertEqual(self.run_in_folder("sh", "-xe", "-c", script).returncode, 1)
        for name in re.findall(r"(?:junit|pattern:) '([^']+)'", text):
            self.assertTrue((self.folder / name).exists(), name)
        self.check_reports()
        for opening, closing in ["{}", "()"]:
            self.assertEqual(text.count(opening), text.count(closing))

    def test_pre_commit(self):
        # The hooks as a repository of their own, so that changes that aren't committed are tested.
        hooks = self.top / "hooks"
        hooks.mkdir()
        for name in [".pre-commit-hooks.yaml", "pyproject.toml"]:
            shutil.copy(ROOT / name, hooks)
        for words in [["init", "-q"], ["add", "."], ["commit", "-qm", "Hooks"], ["tag", "v" + self.version]]:
            subprocess.run(["git", *words], cwd=hooks, env=self.environment, check=True)
        example = EXAMPLES[".pre-commit-config.yaml"].replace("https://github.com/OWNER/coffer", str(hooks))
        self.write("package.json", "{}")
        subprocess.run("git init -q && git add .", shell=True, cwd=self.folder, env=self.environment, check=True)
        # The wheel of the release.
        self.environment["PIP_FIND_LINKS"] = str(PACKAGES)
        for hook in ["coffer", "coffer-system"]:
            with self.subTest(hook):
                if hook == "coffer":
                    self.environment["PATH"] = self.environment["PATH"].removeprefix(f"{self.bin}:")
                self.write(".pre-commit-config.yaml", example.replace("id: coffer", f"id: {hook}"))
                result = self.run_in_folder("pre-commit", "run", "--all-files")
                self.assertEqual(result.returncode, 1, result)
                self.assertIn("exports/broken.json: 2 errors", result.stdout)
                self.assertNotIn("package.json", result.stdout)
                result = self.run_in_folder("pre-commit", "run", "--files", "exports/valid.json")
                self.assertEqual((result.returncode, result.stderr), (0, ""), result)

        result = self.run_in_folder("pre-commit", "try-repo", str(hooks), "coffer-system", "--files", "package.json")
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("package.json: well-formed; unknown format", result.stdout)
