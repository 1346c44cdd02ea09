"""The version, and what Scripts/release.sh makes of the packages of all systems."""
import hashlib
import os
import re
import shutil
import subprocess

from support import PACKAGES, ROOT, FolderTest


class ReleaseTests(FolderTest):
    def setUp(self):
        super().setUp()
        # A copy, so that the version can be changed.
        self.copy = self.top / "copy"
        listed = self.run_checked("git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *[
            "Scripts", "ci", "*.toml", "*.md", "action.yml", "Dockerfile", "Sources/CofferCommand/Terminal"])
        for name in filter(None, listed.split("\0")):
            (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, self.copy / name)

    def date(self, date):
        path = self.copy / "CHANGELOG.md"
        path.write_text(re.sub(r"(?m)^(## \[[^]]+\] - ).*$", rf"\g<1>{date}", path.read_text(), count=1))

    def run_script(self, name, *words):
        return self.run_in_folder(str(self.copy / "Scripts" / name), *map(str, words))

    def test_all_files_name_the_version_of_the_command(self):
        self.assertEqual(self.run_checked(ROOT / "Scripts/version.py").strip(), self.version)

    def test_a_version_is_changed_everywhere(self):
        result = self.run_script("version.py", "3.14.15")
        self.assertEqual((result.returncode, result.stdout), (0, "3.14.15\n"), result)
        changed = self.run_in_folder("diff", "-rq", ROOT, str(self.copy)).stdout
        names = {line.split()[1].removeprefix(f"{ROOT}/") for line in changed.splitlines() if line.startswith("Files")}
        self.assertEqual(names, {
            "Sources/CofferCommand/Terminal/Terminal.swift", "CHANGELOG.md", "Dockerfile", "action.yml", "ci/gitlab.yml", "docs/ci.md",
            "docs/install.md", "pyproject.toml", "Python/pyproject.toml", "Spark/pyproject.toml"})
        for name in names:
            self.assertEqual((self.copy / name).read_text().replace("3.14.15", self.version), (ROOT / name).read_text())

    def test_a_released_version_keeps_its_section(self):
        self.date("2026-01-31")
        old = (self.copy / "CHANGELOG.md").read_text()
        self.assertEqual(self.run_script("version.py", "9.0.0").returncode, 0)
        new = (self.copy / "CHANGELOG.md").read_text()
        self.assertEqual(new.replace("## [9.0.0] - Unreleased\n\n", ""), old)
        self.assertLess(new.index("## [9.0.0]"), new.index(f"## [{self.version}]"))

    def test_a_file_with_another_version_is_found(self):
        path = self.copy / "action.yml"
        path.write_text(path.read_text().replace(self.version, "0.0.7"))
        result = self.run_script("version.py")
        self.assertEqual(result.returncode, 1, result)
        self.assertIn("0.0.7: action.yml", result.stderr)
        for words in [["1.2"], ["1.2.3; id"], ["01.2.3"], ["1.2.٣"], ["1.2.3rc1"], ["--no-such"], ["1.2.3", "4.5.6"]]:
            self.assertEqual(self.run_script("version.py", *words).returncode, 1)

    def test_a_part_of_a_version_is_none(self):
        path = self.copy / "action.yml"
        path.write_text(path.read_text().replace(self.version, self.version + "rc1"))
        self.assertEqual(self.run_script("version.py").returncode, 1)

    def test_a_released_version_is_not_begun_again(self):
        self.date("2026-01-31")
        result = self.run_script("version.py", self.version)
        self.assertEqual((result.returncode, "is released" in result.stderr), (1, True), result)
        for date in ["9999-99-99", "soon", ""]:
            self.date(date)
            self.assertEqual(self.run_script("version.py", "--release").returncode, 1)

    def release(self):
        """Folders of packages for all systems: copies of those of this machine, by the names that they would have there."""
        packages = {path.suffix: path for path in PACKAGES.iterdir() if path.name != "SHA256SUMS"}
        machine = os.uname().machine
        architecture = {"x86_64": "amd64", "aarch64": "arm64"}
        folders = []
        for system in ["linux-x86_64", "linux-aarch64", "darwin-arm64"]:
            other = system.removeprefix("linux-")
            names = {".gz": f"coffer-{self.version}-{system}.tar.gz"}
            if system.startswith("linux"):
                names |= {
                    ".deb": packages[".deb"].name.replace(architecture[machine], architecture[other]),
                    ".whl": packages[".whl"].name.replace(machine, other)}
            folder = self.top / system
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            lines = []
            for suffix, name in names.items():
                shutil.copy(packages[suffix], folder / name)
                lines.append(f"{hashlib.sha256(packages[suffix].read_bytes()).hexdigest()}  {name}\n")
            (folder / "SHA256SUMS").write_text("".join(lines))
            folders.append(folder)
        return folders

    def test_packages_of_all_systems_become_a_release(self):
        self.date("2026-01-31")
        target = self.top / "release"
        result = self.run_script("release.sh", "example/coffer", *self.release(), target)
        self.assertEqual(result.returncode, 0, result)
        self.run_checked("sh", "-c", f"cd {target}/files && sha256sum --check --strict SHA256SUMS")
        names = set(os.listdir(target / "files"))
        self.assertEqual(len(names), 7 + 2, names)
        formula = (target / "files/coffer.rb").read_text()
        self.assertNotIn("@", formula)
        for line in (target / "files/SHA256SUMS").read_text().splitlines():
            checksum, name = line.split()
            if name.endswith(".tar.gz"):
                self.assertIn(f'url "https://github.com/example/coffer/releases/download/v{self.version}/{name}"', formula)
                self.assertIn(checksum, formula)
        self.assertIn("### Validation", (target / "notes.md").read_text())
        self.assertEqual(self.run_script("release.sh", "example/coffer", *self.release(), target).returncode, 1)

    def test_what_is_not_complete_is_no_release(self):
        self.date("2026-01-31")
        x86, arm, mac = folders = self.release()
        target = self.top / "release"

        def refused(*words):
            result = self.run_script("release.sh", *words)
            self.assertNotEqual(result.returncode, 0, result)
            self.assertFalse(target.exists())
            return result.stdout + result.stderr

        refused()
        refused("example;id", *folders, target)
        self.assertIn("missing: coffer-", refused("example/coffer", x86, arm, target))
        self.assertIn("not expected: coffer-", refused("example/coffer", *folders, mac, target))
        (mac / "SHA256SUMS").write_text((mac / "SHA256SUMS").read_text().replace("  ", "  ../linux-x86_64/"))
        refused("example/coffer", *folders, target)
        x86, arm, mac = folders = self.release()
        wheel, = arm.glob("*.whl")
        wheel.write_bytes(b"other")
        self.assertIn("FAILED", refused("example/coffer", *folders, target))
        folders = self.release()
        self.date("Unreleased")
        self.assertIn("has no date", refused("example/coffer", *folders, target))

    def test_the_root_of_the_image(self):
        root = self.top / "image"
        self.run_checked(ROOT / "Scripts/image.sh", PACKAGES, root)
        self.assertEqual(self.run_checked(root / "usr/bin/coffer", "--version").strip(), self.version)
        self.assertEqual((root / "tmp").stat().st_mode & 0o7777, 0o1777)
        self.assertTrue((root / "usr/share/doc/coffer/copyright").exists())

    def test_the_formula_is_ruby(self):
        # No Ruby is installed for this: blocks must be closed, and quotes in pairs.
        lines = (ROOT / "ci/coffer.rb.template").read_text().splitlines()
        opened = sum(bool(re.search(r"( do|^class .*|^\s*def \w+)$", line)) for line in lines)
        self.assertEqual(opened, sum(line.strip() == "end" for line in lines))
        for line in lines:
            self.assertEqual(line.count('"') % 2, 0)
