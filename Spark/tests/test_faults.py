"""Processes that end, tasks that run twice, and files that change."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import COFFER, NOW, Generate, check, command_with, validated

import coffer_spark
from coffer_spark import CofferError, validate
from coffer_spark.command import Command
from coffer_spark.shipping import shipment
from coffer_spark.storage import Storage
from coffer_spark.tasks import Job, RunTasks, Task

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARENT = "awk '/^PPid/ { print $2 }' /proc/%s/status"
FAULTS = {
    "the command": "kill -9 $$",
    "the Python worker": "kill -9 $PPID",
    "the executor": f"daemon=$({PARENT % '$PPID'}); kill -9 $({PARENT % '$daemon'})",
}


def test_executors_need_no_package_of_the_driver(tmp_path: Path) -> None:
    """The modules that Spark sends to executors can be imported where coffer-json is not installed."""
    source = Path(coffer_spark.__file__).parent
    archive = shutil.make_archive(str(tmp_path / "sent"), "zip", source.parent, source.name)
    names = [f"coffer_spark.{path.stem}" for path in source.glob("*.py") if path.stem not in {"__init__", "__main__"}]
    script = f"import sys; sys.modules['coffer'] = None; sys.path.insert(0, {archive!r}); import coffer_spark, {', '.join(names)}"
    subprocess.run([sys.executable, "-P", "-c", script], check=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": ""})


# Only a cluster runs tasks again, and survives the end of an executor.
pytestmark = pytest.mark.in_cluster


def command(folder: Path, fault: str) -> str:
    """Return a command that does something before it runs the second task for the first time."""
    script = f"""\
case "$* " in *" --task 1 "*)
  if mkdir '{folder}/first' 2>/dev/null; then
    {fault}
    sleep 60
  else
    echo again >>'{folder}/again'
  fi ;;
esac"""
    return command_with(folder, script)


@pytest.mark.parametrize("ended", FAULTS)
def test_task_runs_again(spark: SparkSession, backup: Path, tmp_path: Path, ended: str) -> None:
    check(spark, validated(backup, "--json"), [backup], coffer=command(tmp_path, FAULTS[ended]), tasks=4)
    assert (tmp_path / "again").read_text() == "again\n"


def test_same_bytes(spark: SparkSession, backup: Path, tmp_path: Path) -> None:
    """The results and keys of a task have the same bytes, however often it runs."""
    plan = tmp_path / "plan.json"
    Command(COFFER).run(["split", str(backup), "--tasks", "3", "--key-buckets", "2", "--now", NOW, "--output", str(plan)])
    context = spark.sparkContext
    job = Job(
        command=shipment.send(Command(COFFER), context),
        plan=context.broadcast(plan.read_bytes()),
        digest=hashlib.sha256(plan.read_bytes()).hexdigest(),
        storage=Storage(str(tmp_path), None),
        threads=1,
        buckets=2,
        attempts=1,
    )
    first, second = context.parallelize([Task(1, None), Task(1, None)], 2).mapPartitions(RunTasks(job)).glom().collect()
    assert first == second
    assert len(first) > 2


def test_changed_file(spark: SparkSession, generate: Generate, tmp_path: Path) -> None:
    """The error of a task is the error of the run. Spark doesn't repeat the task."""
    file = tmp_path / "file.json"
    file.write_bytes(generate("swiff", "3MB").read_bytes())
    path = command(tmp_path, f"echo >>'{file}'; exec '{COFFER}' \"$@\"")
    with pytest.raises(CofferError, match="differs from the file that was planned") as raised:
        validate(spark, [file], coffer=path, tasks=4, now=NOW)
    assert raised.value.status == 4
