#!/usr/bin/env bash
# Joins the packages of all systems to a release: one folder with one SHA256SUMS and the formula for Homebrew, and the notes.
#
# Usage: Scripts/release.sh REPOSITORY PACKAGES… RELEASE
#
#   REPOSITORY    owner/name, for the addresses in the formula
#   PACKAGES      folders that Scripts/package.sh wrote, one for each system
#   RELEASE       the folder to write, which must not exist: files/ is uploaded, notes.md has the version's changes
#
# Fails unless all files name one version, CHANGELOG.md has its date, all checksums are right, and no system is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

if (($# < 3)); then sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
repository=$1 target=${*: -1} packages=("${@:2:$#-2}")
if [[ ! $repository =~ ^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$ ]]; then echo "'$repository' is not owner/name" >&2; exit 2; fi
if [[ -e $target ]]; then echo "$target exists already" >&2; exit 1; fi
version=$(Scripts/version.py --release)

mkdir -p "$target/files"
for folder in "${packages[@]}"; do
  (cd "$folder" && shasum --algorithm 256 --check --quiet SHA256SUMS)
  cp "$folder"/coffer[_-]* "$target/files/"
  cat "$folder/SHA256SUMS"
done | sort -k 2 >"$target/SHA256SUMS"
mv "$target/SHA256SUMS" "$target/files/"
if unknown=$(cut -c 67- "$target/files/SHA256SUMS" | grep -Ev "^coffer(_json)?[-_]${version//./\\.}[-.]"); then
  echo "not of version $version: $unknown" >&2
  exit 1
fi

formula=$(sed "s|@VERSION@|$version|g; s|@REPOSITORY@|$repository|g; s|@RELEASE@|https://github.com/$repository/releases/download/v$version|g" ci/coffer.rb.template)
for system in darwin-arm64 linux-aarch64 linux-x86_64; do
  checksum=$(awk -v name="coffer-$version-$system.tar.gz" '$2 == name { print $1 }' "$target/files/SHA256SUMS")
  if [[ -z $checksum ]]; then echo "no tarball for $system" >&2; exit 1; fi
  formula=${formula//@SHA256-$system@/$checksum}
done
printf '%s\n' "$formula" >"$target/files/coffer.rb"
awk '/^## / { sections++; next } sections == 1' CHANGELOG.md >"$target/notes.md"
ls "$target/files"
