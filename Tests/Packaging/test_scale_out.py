"""The examples of docs/scale-out.md: GNU parallel and make give the report of one process."""
import json
import re

from support import ROOT, FolderTest

TEXT = (ROOT / "docs/scale-out.md").read_text()
NOW = "2026-07-01T00:00:00Z"


class ScaleOutTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.run_in_folder(
            "coffer", "generate", "ev-charging-tracker", "export.json", "--size", "4MB", "--seed", "7",
            "--defect", "reference=1", "--defect", "order=1")
        self.one = self.run_in_folder("coffer", "validate", "export.json", "--now", NOW, "--json")
        self.assertEqual(self.one.returncode, 1, self.one)

    def example(self, language):
        text, = re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.M | re.S)
        # The examples have no time, because it is that of the run.
        return text.replace(" --output plan.json", f" --now {NOW} --output plan.json").replace(
            " --output $@\n\n%", f" --now {NOW} --output $@\n\n%")

    def check_report(self):
        self.assertEqual((self.folder / "report.json").read_text(), self.one.stdout)
        file, = json.loads((self.folder / "plan.json").read_text())["files"]
        self.assertEqual([gap["pointer"] for gap in file["gaps"]], ["/expenses"])
        self.assertEqual(len(list(self.folder.glob("*.partial"))), 4)

    def test_parallel(self):
        result = self.run_in_folder("bash", "-c", self.example("sh"))
        self.assertEqual(result.returncode, 1, result)
        self.check_report()

    def test_make(self):
        self.write("Makefile", self.example("make"))
        result = self.run_in_folder("make", "--jobs=2", "report.json")
        self.assertEqual(result.returncode, 0, result)
        self.check_report()
        # make runs only the task whose result was deleted.
        (self.folder / "2.partial").unlink()
        (self.folder / "report.json").unlink()
        result = self.run_in_folder("make", "--jobs=2", "report.json")
        self.assertEqual(result.returncode, 0, result)
        self.assertNotIn("coffer split", result.stdout)
        self.check_report()
