"""Tags the wheel for its command, which is one static file: the wheel fits any version of Python and any C library of Linux."""

from __future__ import annotations

import platform
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Sets the tag."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Set the tag of a wheel that has a command for this machine."""
        systems = [f"{system}_{platform.machine()}" for system in ("manylinux_2_17", "manylinux2014", "musllinux_1_1")]
        build_data["tag"] = f"py3-none-{'.'.join(systems)}"
        build_data["pure_python"] = False
