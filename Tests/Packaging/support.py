"""What the tests of packages and CI files share. Scripts/test-package.sh runs them."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The command of the installed wheel, and the folder of the packages that Scripts/package.sh made.
COFFER = pathlib.Path(os.environ["COFFER"]).resolve()
PACKAGES = pathlib.Path(os.environ["PACKAGES"]).resolve()


class FolderTest(unittest.TestCase):
    """A test in a temporary folder, with the command on the PATH as `coffer`."""

    @classmethod
    def setUpClass(cls):
        cls.version = subprocess.run([COFFER, "--version"], check=True, capture_output=True, text=True).stdout.strip()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.top = pathlib.Path(temporary.name)
        self.folder = self.top / "work"
        self.bin = self.top / "bin"
        self.folder.mkdir()
        self.bin.mkdir()
        (self.bin / "coffer").symlink_to(COFFER)
        self.environment = {
            "PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.top), "TERM": "xterm", "LC_ALL": "C.UTF-8",
            "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "Test", "GIT_COMMITTER_NAME": "Test",
            "GIT_AUTHOR_EMAIL": "test@localhost", "GIT_COMMITTER_EMAIL": "test@localhost",
        }

    def run_checked(self, *words, **variables):
        result = self.run_in_folder(*map(str, words), **variables)
        self.assertEqual(result.returncode, 0, result)
        return result.stdout

    def run_in_folder(self, *words, **variables):
        return subprocess.run(
            words, cwd=self.folder, env=self.environment | variables, capture_output=True, text=True, timeout=120)

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def write_shop(self):
        """Writes rules, and under exports a valid backup and one with two errors."""
        self.write("rules.json", """{"properties": {"users": {"primaryKey": "id"}, "orders": {"foreignKeys":
          [{"fields": "user", "reference": {"resource": "/users", "fields": "id"}}]}}}""")
        self.write("exports/valid.json", '{"users": [{"id": 1}], "orders": [{"user": 1}]}\n')
        self.write("exports/broken.json", '{"users": [{"id": 1}, {"id": 1}],\n "orders": [{"user": 7}]}\n')
