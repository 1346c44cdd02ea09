"""The tarball and the wheel in roots of their own: one without anything else, and a base of Debian. The results are those of a dynamic build."""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess

from support import COFFER, PACKAGES, ROOT, FolderTest

NOW = "--now 2026-07-01T00:00:00Z"
# Commands for all parts of Coffer. What comes after > are files that they write, to compare.
RUNS = f"""
generate ev-charging-tracker a.json --size 200kB --seed 7 --defect reference=1 --defect order=1 > a.json
validate a.json {NOW} --json
validate a.json {NOW} --report html=a.html --report sarif=a.sarif --jobs 1 > a.sarif
generate ev-charging-tracker b.json --size 200kB --seed 8 > b.json
import b.json --into b.db {NOW}
export b.db c.json {NOW} > c.json
convert b.json b.json.lz4 > b.json.lz4
convert b.json b.json.gz > b.json.gz
convert b.json b.json.zst > b.json.zst
validate b.json.lz4 b.json.gz b.json.zst {NOW} --json
inspect b.json.zst {NOW} --json
diff a.json b.json --json
generate smilepile photos.zip --size 20kB --seed 7 > photos.zip
unpack photos.zip photos
pack photos packed.zip > packed.zip
validate packed.zip {NOW} --json
rules draft b.json --output draft.json > draft.json
validate --rules rules.yaml b.json --json
backup b.db --into backups {NOW}
verify backups {NOW} --json
restore backups --into restored.db {NOW}
"""
RULES = """
properties:
  cars:
    primaryKey: id
    items: {properties: {expenseCurrency: {pattern: '^\\p{L}+$', format: idn-hostname}}}
"""
# Those of `make test`, whose libraries are shared.
DYNAMIC = ROOT / ".build/debug/coffer"


class RootTests(FolderTest):
    def results(self, command, folder):
        """Runs all commands in a folder: their exit statuses, outputs, and digests of the files that they write."""
        (folder / "rules.yaml").write_text(RULES)
        results = []
        for line in RUNS.strip().split("\n"):
            arguments, _, files = line.partition(" > ")
            run = subprocess.run([*command, *arguments.split()], cwd=folder, capture_output=True, env={"TZ": "UTC"}, timeout=120)
            # Without durations, and names of copies, which have the time.
            output = re.sub(r"[\d.]+ (s|MB/s)\b", "", (run.stdout + run.stderr).decode())
            digests = [hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files.split()]
            results.append((line, run.returncode, output, digests))
        self.assertEqual([status for _, status, _, _ in results], [0, 1, 1, *[0] * 8, 1, *[0] * 5, 1, *[0] * 3], results)
        return results

    def expected(self):
        folder = self.folder / "expected"
        folder.mkdir()
        return self.results([DYNAMIC], folder)

    def inside(self, root, command):
        """The words that run a command in a root, in which nothing but /proc is mounted."""
        unprivileged = [] if os.geteuid() == 0 else ["--map-root-user"]
        return [shutil.which("unshare"), *unprivileged, "--mount", "--pid", "--fork", f"--mount-proc={root}/proc", shutil.which("chroot"), root, *command]

    def unpack_tarball(self, root):
        tarball, = PACKAGES.glob("*.tar.gz")
        self.run_checked("tar", "-xzf", tarball, "-C", root, "--strip-components=1")

    def test_nothing_but_the_command_is_needed(self):
        root = self.top / "root"
        for name in ["proc", "tmp"]:
            (root / name).mkdir(parents=True)
        self.unpack_tarball(root)
        shutil.rmtree(root / "share")
        self.assertEqual(self.results(self.inside(root, ["/bin/coffer"]), root), self.expected())

    def test_in_a_base_of_debian(self):
        root = self.top / "debian"
        release = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())[1]
        # The mirror of this machine.
        mirror = re.search(r"https?://\S+", self.run_checked("apt-get", "indextargets", "--format", "$(REPO_URI)"))[0]
        # The files of the packages are enough: to configure them takes a minute.
        self.run_checked("debootstrap", "--foreign", "--variant=minbase", "--include=python3", release, root, mirror)
        for package in (root / "var/cache/apt/archives").glob("*.deb"):
            self.run_checked("dpkg-deb", "-x", package, root)
        expected = self.expected()
        (root / "coffer").mkdir()
        self.unpack_tarball(root / "coffer")
        wheel, = PACKAGES.glob("*.whl")
        self.run_checked("pip", "install", "--quiet", "--no-index", "--no-deps", "--target", root / "usr/lib/python3/dist-packages", wheel)
        for command in [["/coffer/bin/coffer"], ["/usr/bin/python3", "-m", "coffer"]]:
            for name in ["a.db", "b.db", "restored.db", "photos", "backups", *re.findall(r"\S+\.(?:json|zip|lz4|gz|zst)\b", RUNS)]:
                path = root / name
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            self.assertEqual(self.results(self.inside(root, command), root), expected)

    def test_no_library_and_no_configuration_of_the_system_is_opened(self):
        # Names of users and hosts, locales and codecs are what glibc loads libraries for, even in a static program.
        log = self.top / "log"
        self.results(
            [shutil.which("strace"), "-f", "-A", "-o", str(log), "-e", "trace=open,openat,openat2,connect,execve", COFFER], self.folder)
        opened = re.findall(r'(?:open\w*|connect)\(.*?"([^"]*)"', log.read_text())
        self.assertIn("a.json", opened)
        # Data of time zones has no code.
        wrong = re.compile(r"^/(etc|lib|usr(?!/share/zoneinfo/)|var|run)\b|\.so\b")
        self.assertEqual({path for path in opened if wrong.search(path)}, set())
