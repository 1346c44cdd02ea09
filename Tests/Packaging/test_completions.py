"""The completions of the Debian package, in the shells: each types a command line and the Tab key in a terminal."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from support import PACKAGES, FolderTest

# What is typed, what the terminal then shows, and what it doesn't.
CASES = [
    ("coffer va", "validate", "verify"),
    ("coffer rules ch", "rules check", None),
    ("coffer validate --dup", "--duplicate-keys", None),
    ("coffer validate --duplicate-keys rej", "reject", None),
    ("coffer validate ", "export.json.lz4", "notes.txt"),
    ("coffer unpack photos", "photos.zip", None),
    ("coffer export ", "app.sqlite", "export.json.lz4"),
    ("coffer list ", "backups/", "export.json.lz4"),
    ("coffer delete ", "export.json.lz4", "notes.txt"),
    ("coffer validate --rules keeptrack-legacy-e", "keeptrack-legacy-entries", None),
    ("coffer validate --rules my-r", "my-rules.yaml", None),
    ("coffer validate --rules tri", "trips", None),
    ("coffer validate --report sar", "report.sarif", "report.html"),
    ("coffer inspect export.json --report htm", "report.html", "report.json"),
    ("coffer help mig", "migrate", None),
    ("coffer formats aqua", "aquavate", None),
    ("coffer rules explain foreignK", "foreignKeys", None),
    ("coffer generate swiff-", "swiff-database-copy", None),
    ("coffer generate swiff a.json --defect file-m", "file-missing", None),
    ("coffer inspect export.json --only cars,exp", "cars,expenses", None),
    ("coffer convert export.json --collection /del", "/delayedNotifications", None),
]


class Terminal:
    """A shell in a terminal."""

    def __init__(self, words, folder, environment):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 200, 0, 0))

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def shown(self, until, seconds):
        """What is shown until the text appears, or the time is over."""
        shown, end = "", time.monotonic() + seconds
        while time.monotonic() < end and until not in shown:
            if select.select([self.descriptor], [], [], 0.05)[0]:
                shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\(B|\r", "", os.read(self.descriptor, 65536).decode(errors="replace"))
        return shown

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.descriptor)


class CompletionTests(FolderTest):
    def setUp(self):
        super().setUp()
        package, = PACKAGES.glob("*.deb")
        subprocess.run(["dpkg-deb", "-x", package, self.top / "root"], check=True)
        self.share = self.top / "root/usr/share"
        for name in ["export.json.lz4", "notes.txt", "photos.zip", "app.sqlite", "my-rules.yaml", "backups/old.json"]:
            self.write(name, "")
        self.write("coffer.yaml", "formats: [trips.yaml]")
        self.write("trips.yaml", "backup: {name: trips}")
        self.run_in_folder("coffer", "generate", "ev-charging-tracker", "export.json", "--size", "2kB")

    def check(self, words, setup):
        for typed, wanted, unwanted in CASES:
            with self.subTest(typed):
                terminal = Terminal(words, self.folder, self.environment)
                self.addCleanup(terminal.close)
                # The quotes keep the word out of the echo.
                terminal.type(f"{setup}; echo rea''dy\n")
                self.assertIn("ready", terminal.shown("ready", 20))
                terminal.shown("no such text", 0.1)
                terminal.type(typed + "\t")
                shown = terminal.shown(wanted, 10)
                self.assertIn(wanted, shown)
                if unwanted:
                    self.assertNotIn(unwanted, shown + terminal.shown(unwanted, 0.2))

    def test_bash(self):
        self.check(
            ["bash", "--norc", "--noprofile", "-i"],
            f"source {self.share}/bash-completion/completions/coffer; bind 'set show-all-if-ambiguous on'")

    def test_zsh(self):
        self.check(
            ["zsh", "-f", "-i"], f"fpath=({self.share}/zsh/vendor-completions $fpath); autoload -U compinit; compinit -D -u")

    def test_fish(self):
        self.check(
            ["fish", "--no-config"], f"source {self.share}/fish/vendor_completions.d/coffer.fish")

    def test_scripts_have_no_syntax_errors(self):
        for words in [["bash", "-n", "bash-completion/completions/coffer"], ["zsh", "-n", "zsh/vendor-completions/_coffer"],
                      ["fish", "--no-execute", "fish/vendor_completions.d/coffer.fish"]]:
            result = self.run_in_folder(*words[:-1], str(self.share / words[-1]))
            self.assertEqual((result.returncode, result.stderr), (0, ""))
