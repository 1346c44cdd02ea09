"""The Debian package, the tarball and the wheel."""
import email
import json
import os
import re
import shutil
import subprocess
import zipfile

from support import COFFER, PACKAGES, ROOT, FolderTest


class PackageTests(FolderTest):
    def setUp(self):
        super().setUp()
        self.package, = PACKAGES.glob("*.deb")
        self.tarball, = PACKAGES.glob("*.tar.gz")
        self.wheel, = PACKAGES.glob("*.whl")

    def test_the_checksums_are_right(self):
        self.folder = PACKAGES
        self.assertEqual(self.run_checked("sha256sum", "--check", "SHA256SUMS").count(": OK"), 3)

    def test_the_package_can_be_installed_removed_and_run(self):
        root = self.top / "root"
        database = root / "var/lib/dpkg"
        for name in ["info", "updates", "triggers"]:
            (database / name).mkdir(parents=True)
        # No package is installed.
        (database / "status").touch()
        dpkg = ["fakeroot", "dpkg", f"--root={root}", "--force-not-root", "--log=/dev/null"]
        self.run_checked(*dpkg, "--install", self.package)
        self.assertEqual(self.run_checked(*dpkg, "--verify", "coffer"), "")
        self.write_shop()
        command = [str(root / "usr/bin/coffer"), "validate", "--rules", "rules.json"]
        self.assertEqual(self.run_in_folder(*command, "exports/valid.json").returncode, 0)
        self.assertEqual(self.run_in_folder(*command, "exports/broken.json").returncode, 1)
        self.run_checked(*dpkg, "--remove", "coffer")
        self.assertFalse((root / "usr/bin/coffer").exists())

    def test_lintian_finds_nothing(self):
        # There is no Debian bug to close, and Debian's libraries are linked statically.
        known = ["initial-upload-closes-no-bugs", "embedded-library", "statically-linked-binary"]
        self.run_checked("lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", ",".join(known), self.package)

    def test_each_verb_has_a_correct_manual_page(self):
        self.run_checked("dpkg-deb", "-x", self.package, self.top / "root")
        manual = self.top / "root/usr/share/man"

        def names(command, path):
            yield "-".join(path)
            for verb in command.get("subcommands", []):
                if verb["commandName"] != "help":
                    yield from names(verb, path + [verb["commandName"]])

        dump = json.loads(self.run_checked("coffer", "--experimental-dump-help"))
        self.run_checked("gunzip", "--recursive", manual)
        pages = sorted((manual / "man1").iterdir())
        self.assertEqual({page.name for page in pages}, {name + ".1" for name in names(dump["command"], ["coffer"])})
        # mandoc looks for the other pages in the manual of this system.
        complaints = self.run_in_folder("mandoc", "-Tlint", *map(str, pages)).stdout.splitlines()
        self.assertEqual([line for line in complaints if "referenced manual not found: Xr coffer" not in line], [])
        text = self.run_checked("mandoc", "-Tascii", manual / "man1/coffer-validate.1")
        text = re.sub(".\b", "", text)
        for words in ["coffer validate [options] [file ...]", "--rules name-or-file", "EXIT STATUS", "coffer validate export.json\n"]:
            self.assertIn(words, text)

    def test_the_licences_of_all_linked_packages_are_included(self):
        listing = self.run_checked("tar", "-xzOf", self.tarball, f"coffer-{self.version}/share/doc/coffer/copyright")
        pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
        unlinked = {"swift-docc-plugin", "swift-docc-symbolkit", "swift-subprocess"}
        names = [pin["location"].rsplit("/", 1)[1].removesuffix(".git") for pin in pins if pin["identity"] not in unlinked]
        self.assertGreaterEqual(len(names), 3)
        for name in [*names, "Swift: standard library, Foundation, Dispatch (https://www.swift.org)"]:
            self.assertRegex(listing, rf"(?m)^{re.escape(name)}\n=+\n\n.*\S")
        for name in ["gcc-12", "glibc", "libidn2", "libunistring", "libyaml", "lz4", "openssl", "pcre2", "sqlite3", "yajl", "zlib", "libzstd"]:
            self.assertRegex(listing, rf"(?m)^{re.escape(name)} \S+ \(https://snapshot\.debian\.org/package/{re.escape(name)}/\S+/\)\n=+\n\n.*\S")
        # Other systems have no folder of common licences.
        common = self.run_checked("tar", "-xzOf", self.tarball, f"coffer-{self.version}/share/doc/coffer/common-licences")
        for path in set(re.findall(r"/usr/share/common-licenses/L?GPL-[\d.]*\d", listing)):
            self.assertIn(f"{path}\n====", common)
        self.assertIn("/usr/share/common-licenses/LGPL-2.1\n", common)
        with zipfile.ZipFile(self.wheel) as wheel:
            folder = f"coffer_json-{self.version}.dist-info/licenses"
            self.assertEqual(wheel.read(f"{folder}/copyright").decode(), listing)
            self.assertEqual(wheel.read(f"{folder}/common-licences").decode(), common)
            self.assertEqual(wheel.read(f"{folder}/LICENSE"), (ROOT / "LICENSE").read_bytes())

    def test_the_package_depends_on_nothing(self):
        fields = email.message_from_string(self.run_checked("dpkg-deb", "--field", self.package))
        self.assertEqual((fields["Depends"], fields["Pre-Depends"], fields["Recommends"]), (None, None, None))
        self.assertRegex(fields["Built-Using"], r"glibc \(= [^)]+\), ")

    def test_the_wheel_is_for_any_linux_of_this_architecture(self):
        shown = self.run_checked("auditwheel", "show", self.wheel)
        self.assertIn("references no external versioned symbols from system-provided shared libraries", " ".join(shown.split()))
        machine = os.uname().machine
        self.assertEqual(self.wheel.name.split("-")[2:], ["py3", "none", ".".join(
            f"{system}_{machine}" for system in ["manylinux_2_17", "manylinux2014", "musllinux_1_1"]) + ".whl"])

    def test_the_wheel_finds_its_own_command_in_all_kinds_of_installations(self):
        self.run_checked("python3", "-m", "venv", self.top / "venv")
        pip = [self.top / "venv/bin/python", "-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check", self.wheel]
        find = "import coffer, os; print(os.path.realpath(coffer.find_command()))"
        # Another command on the PATH, or where the files of the other package would be, isn't taken.
        for folder in [self.bin, self.top / "bin"]:
            (folder / "coffer").unlink(missing_ok=True)
            (folder / "coffer").write_text("#!/bin/sh\necho another\n")
            (folder / "coffer").chmod(0o755)
        for options, path, command in [
            ([], "", "venv/bin/coffer"), (["--target", self.top / "target/lib"], "target/lib", "target/lib/bin/coffer"),
            (["--prefix", self.top / "prefix"], "prefix/lib/python*/site-packages", "prefix/bin/coffer")]:
            self.run_checked(*pip, *options)
            paths = [str(found) for found in self.top.glob(path)] if path else []
            found = self.run_checked(self.top / "venv/bin/python", "-c", find, PYTHONPATH=":".join(paths)).strip()
            self.assertEqual(found, str((self.top / command).resolve()))
            if path == "":
                self.run_checked(self.top / "venv/bin/python", "-m", "pip", "uninstall", "--yes", "--quiet", "coffer-json")

    def test_both_archives_have_the_same_files(self):
        def names(listing):
            files = [line.split(maxsplit=5)[5] for line in listing.splitlines() if not line.startswith("d")]
            return {re.sub(r"^\./usr/|^coffer-[^/]*/", "", name) for name in files}

        package = names(self.run_checked("dpkg-deb", "--contents", self.package))
        tarball = names(self.run_checked("tar", "-tvzf", self.tarball))
        self.assertEqual(package - tarball, {
            "share/doc/coffer/changelog.gz", "share/doc/coffer/changelog.Debian.gz", "share/zsh/vendor-completions/_coffer"})
        self.assertEqual(tarball - package, {
            "share/doc/coffer/CHANGELOG.md", "share/doc/coffer/LICENSE", "share/doc/coffer/common-licences",
            "share/zsh/site-functions/_coffer"})
        owners = self.run_checked("tar", "-tvzf", self.tarball, "--numeric-owner")
        self.assertEqual({line.split()[1] for line in owners.splitlines()}, {"0/0"})

    def test_packages_are_reproducible(self):
        again = self.top / "again"
        result = subprocess.run(
            ["sh", "-c", 'umask 077; exec Scripts/package.sh --command "$0" --to "$1"', COFFER, again], cwd=ROOT,
            env=os.environ | {"TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"}, capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result)
        self.assertEqual((again / "SHA256SUMS").read_text(), (PACKAGES / "SHA256SUMS").read_text())
