#!/bin/sh
# Installs missing dependencies of the build: yajl, PCRE2, libidn2, libyaml, LZ4, xxHash, zlib, zstd, libcrypto, SQLite, libunistring, pkg-config.
# Swift itself must already be installed.
#
# Usage: Scripts/dependencies.sh                   for the build
#        Scripts/dependencies.sh --benchmarks      also the peers that Benchmarks/compare.sh measures
#        Scripts/dependencies.sh --kernels         also the AArch64 compiler and qemu for Scripts/kernels.sh
#        Scripts/dependencies.sh --gate            also valgrind for Benchmarks/gate.sh
#        Scripts/dependencies.sh --web             also Chromium and Java for Scripts/check-reports.sh
#        Scripts/dependencies.sh --spark           also Java for Scripts/test-spark.sh
#        Scripts/dependencies.sh --package         also what Scripts/package.sh calls, on Debian and Ubuntu
#        Scripts/dependencies.sh --test-package    also what Scripts/test-package.sh calls
#
# Uses apt-get on Debian and Ubuntu, Homebrew on macOS. Does nothing if nothing is missing.
set -eu

debian_packages='' homebrew_packages=''

# require DEBIAN-PACKAGE HOMEBREW-PACKAGE COMMAND…: the package is missing if the command fails.
require() {
  debian=$1 homebrew=$2
  shift 2
  "$@" >/dev/null 2>&1 && return
  debian_packages="$debian_packages $debian"
  homebrew_packages="$homebrew_packages $homebrew"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

if ! command -v swift >/dev/null; then
  echo 'Coffer needs Swift 6.2 or newer, but swift is not on the PATH: see https://www.swift.org/install' >&2
  exit 1
fi

require pkg-config pkgconf command -v pkg-config
require libyajl-dev yajl pkg-config --exists yajl
require libpcre2-dev pcre2 pkg-config --exists libpcre2-8
require libidn2-dev libidn2 pkg-config --exists libidn2
require libyaml-dev libyaml pkg-config --exists yaml-0.1
require liblz4-dev lz4 pkg-config --exists liblz4
require libxxhash-dev xxhash pkg-config --exists libxxhash
require zlib1g-dev zlib pkg-config --exists zlib
require libzstd-dev zstd pkg-config --exists libzstd
if [ "$(uname)" != Darwin ]; then
  require libssl-dev openssl pkg-config --exists libcrypto
  # A static libidn2 needs it.
  require libunistring-dev '' test -e "$(pkg-config --variable=libdir zlib 2>/dev/null)/libunistring.a"
  # Scripts/reduce-icu.py
  require binutils '' command -v objcopy
  require python3 '' command -v python3
fi
require libsqlite3-dev sqlite pkg-config --exists sqlite3
# Tests compare Coffer's output and input with these programs, and skip missing ones.
require lz4 lz4 command -v lz4
require gzip gzip command -v gzip
require zstd zstd command -v zstd
require zip zip command -v zip
require unzip unzip command -v unzip
require libarchive-tools libarchive command -v bsdtar
require sqlite3 sqlite command -v sqlite3
# Scripts/check-reports.sh installs Python packages.
require python3-venv python3 python3 -c 'import ensurepip, venv'
if [ "${1-}" = --benchmarks ]; then
  require yajl-tools yajl command -v json_verify
  require jq jq command -v jq
  require rapidjson-dev rapidjson pkg-config --exists RapidJSON
  require libsimdjson-dev simdjson pkg-config --exists simdjson
  require g++ gcc command -v c++
  require python3-venv python3 python3 -c 'import ensurepip, venv'
  if [ "$(uname)" = Darwin ]; then require time gnu-time command -v gtime; else require time gnu-time test -x /usr/bin/time; fi
fi
if [ "${1-}" = --kernels ]; then
  require gcc gcc command -v cc
  if [ "$(uname)" = Linux ] && [ "$(uname -m)" != aarch64 ]; then
    require gcc-aarch64-linux-gnu '' command -v aarch64-linux-gnu-gcc
    require libc6-dev-arm64-cross '' test -e /usr/aarch64-linux-gnu/include/stdio.h
    require qemu-user-static '' command -v qemu-aarch64-static
  fi
fi
if [ "${1-}" = --gate ]; then
  require valgrind valgrind command -v valgrind
  require binutils binutils command -v strip
fi
if [ "${1-}" = --package ] || [ "${1-}" = --test-package ]; then
  require binutils '' command -v strip
  # ICU's licence.
  if [ "$(uname)" != Darwin ]; then require libicu-dev '' sh -c 'test -e /usr/share/doc/libicu[0-9]*/copyright'; fi
  if [ "$(uname)" = Darwin ]; then require '' gnu-tar command -v gtar; fi
  require python3-venv python3 python3 -c 'import ensurepip, venv'
  require perl perl command -v shasum
fi
if [ "${1-}" = --test-package ]; then
  require debootstrap '' command -v debootstrap
  require fakeroot '' command -v fakeroot
  require fish '' command -v fish
  require lintian '' command -v lintian
  require mandoc '' command -v mandoc
  require parallel '' command -v parallel
  require shellcheck '' command -v shellcheck
  require strace '' command -v strace
  require zsh '' command -v zsh
fi

if [ "${1-}" = --spark ]; then
  require python3-venv python3 python3 -c 'import ensurepip, venv'
  require openjdk-17-jre-headless openjdk@17 java -version
fi
if [ "${1-}" = --web ]; then
  require python3-venv python3 python3 -c 'import ensurepip, venv'
  require chromium '' command -v chromium
  require chromium-driver '' command -v chromedriver
  require default-jre-headless openjdk java -version
fi

[ -n "$debian_packages" ] || exit 0

# The lists contain only package names and blanks: word splitting is intended.
# shellcheck disable=SC2086
if command -v apt-get >/dev/null; then
  echo "installing$debian_packages"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $debian_packages
elif command -v brew >/dev/null; then
  echo "installing$homebrew_packages"
  brew install --quiet $homebrew_packages
else
  echo "Please install yajl, PCRE2, libidn2, libyaml, LZ4, xxHash, zlib, zstd, libcrypto, SQLite and pkg-config (missing Debian packages:$debian_packages)." >&2
  exit 1
fi
