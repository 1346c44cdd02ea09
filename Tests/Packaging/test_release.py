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
            "Sources/CofferCommand/Terminal/Terminal.swift", "CHANGELOG.md", "Dockerfile", "action.yml", "ci/gitlab.yml", "docs/ci.md", "pyproject.toml",
            "Python/pyproject.toml", "Spark/pyproject.toml"})
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
        for words in [["1.2"], ["1.2.3; id"], ["--no-such"], ["1.2.3", "4.5.6"]]:
            self.assertEqual(self.run_script("version.py", *words).returncode, 1)

    def release(self):
        """The packages of this machine, and archives with other names in the place of those of other systems."""
        tarball, = PACKAGES.glob("*.tar.gz")
        folders = [PACKAGES]
        for system in {"linux-x86_64", "linux-aarch64", "darwin-arm64"} - {tarball.name.removeprefix(f"coffer-{self.version}-").removesuffix(".tar.gz")}:
            folder = self.top / system
            folder.mkdir(exist_ok=True)
            name = f"coffer-{self.version}-{system}.tar.gz"
            shutil.copy(tarball, folder / name)
            (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(tarball.read_bytes()).hexdigest()}  {name}\n")
            folders.append(folder)
        return folders

    def test_packages_of_all_systems_become_a_release(self):
        self.date("2026-01-31")
        target = self.top / "release"
        result = self.run_script("release.sh", "example/coffer", *self.release(), target)
        self.assertEqual(result.returncode, 0, result)
        self.run_checked("sh", "-c", f"cd {target}/files && sha256sum --check --strict SHA256SUMS")
        names = set(os.listdir(target / "files"))
        self.assertEqual(len(names), 2 + 5, names)
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
        folders, target = self.release(), self.top / "release"
        wrong = self.top / "wrong"
        shutil.copytree(folders[1], wrong)
        archive, = wrong.glob("*.tar.gz")
        archive.write_bytes(b"other")
        for words in [["example/coffer", *folders[:-1], target], ["example/coffer", *folders[:-1], wrong, target], ["example;id", *folders, target], []]:
            result = self.run_script("release.sh", *words)
            self.assertNotEqual(result.returncode, 0, result)
            shutil.rmtree(target, ignore_errors=True)
        self.date("Unreleased")
        result = self.run_script("release.sh", "example/coffer", *folders, target)
        self.assertEqual((result.returncode, "has no date" in result.stderr), (1, True), result)

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
