#!/bin/sh
# Makes the root of the container image from the tarball of this machine's architecture: the command, its licences, and folders.
#
# Usage: Scripts/image.sh PACKAGES FOLDER [MACHINE]      MACHINE: x86_64 or aarch64, as `uname -m` prints it
set -eu

packages=$1 folder=$2 machine=${3:-$(uname -m)}
tarball=$(ls "$packages"/coffer-*-linux-"$machine".tar.gz)
rm -rf "$folder"
# Keys that don't fit in memory go to /tmp.
mkdir -p "$folder/usr" "$folder/data" "$folder/tmp"
chmod 1777 "$folder/tmp"
tar -xzf "$tarball" -C "$folder/usr" --strip-components 1
