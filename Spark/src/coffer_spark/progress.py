"""Progress on standard error."""

from __future__ import annotations

import sys
import threading
import uuid
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark import SparkContext

_INTERVAL = 1.0


@contextmanager
def job_group(context: SparkContext, description: str, *, shown: bool) -> Iterator[None]:
    """Name the jobs that the block starts. If asked, show on standard error how many of their tasks are done."""
    name = f"coffer-{uuid.uuid4()}"
    context.setJobGroup(name, f"coffer: {description}", interruptOnCancel=True)
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(context, name, description, ended), daemon=True)
    if shown:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if shown:
            thread.join()
        for key in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
            context.setLocalProperty(key, None)  # type: ignore[arg-type]


def _show(context: SparkContext, name: str, description: str, ended: threading.Event) -> None:
    tracker = context.statusTracker()
    last = ""
    is_last = False
    while not is_last:
        # Once more at the end, for the last tasks.
        is_last = ended.wait(_INTERVAL)
        jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(name)]
        stages = [tracker.getStageInfo(stage) for stage in {stage for job in jobs if job for stage in job.stageIds}]
        # Without those that are skipped, because their results are there.
        begun = [stage for stage in stages if stage and stage.numActiveTasks + stage.numCompletedTasks]
        done, total = sum(stage.numCompletedTasks for stage in begun), sum(stage.numTasks for stage in begun)
        line = f"coffer-spark: {description}: {done} of {total} tasks\n"
        if total and line != last:
            sys.stderr.write(line)
            sys.stderr.flush()
            last = line
