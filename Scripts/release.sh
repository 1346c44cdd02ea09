#!/usr/bin/env bash
# Joins the packages of all systems to a release: one folder with one SHA256SUMS and the formula for Homebrew, and the notes.
#
# Usage: Scripts/release.sh REPOSITORY PACKAGES… RELEASE
#
#   REPOSITORY    owner/name, for the addresses in the formula
#   PACKAGES      folders that Scripts/package.sh wrote, one for each system
#   RELEASE       the folder to write, which must not exist: files/ is uploaded, notes.md has the version's changes
#
# Fails unless all files name one version, CHANGELOG.md has its date, all checksums are right, and each package is there once.
set -euo pipefail
scripts=$(cd "$(dirname "$0")" && pwd)

if (($# < 3)); then sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2; fi
repository=$1 target=${*: -1} packages=("${@:2:$#-2}")
if [[ ! $repository =~ ^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$ ]]; then echo "'$repository' is not owner/name" >&2; exit 2; fi
if [[ -e $target ]]; then echo "$target exists already" >&2; exit 1; fi
version=$("$scripts/version.py" --release)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/files"
for folder in "${packages[@]}"; do
  (cd "$folder" && shasum --algorithm 256 --check --quiet SHA256SUMS >&2)
  while read -r _ name; do cp "$folder/$name" "$work/files/"; done <"$folder/SHA256SUMS"
  cat "$folder/SHA256SUMS"
done | sort -k 2 >"$work/sums"

wheel() {
  echo "coffer_json-$version-py3-none-manylinux_2_17_$1.manylinux2014_$1.musllinux_1_1_$1.whl"
}
wanted=$(printf '%s\n' "coffer-$version-"{darwin-arm64,linux-aarch64,linux-x86_64}.tar.gz "coffer_$version-1_"{amd64,arm64}.deb \
  "$(wheel aarch64)" "$(wheel x86_64)" | sort)
if ! diff <(echo "$wanted") <(awk '{ print $2 }' "$work/sums" | sort) >"$work/difference"; then
  sed -n "s/^</missing:/p; s/^>/not expected:/p" "$work/difference" >&2
  exit 1
fi

formula=$(sed "s|@VERSION@|$version|g; s|@REPOSITORY@|$repository|g; s|@RELEASE@|https://github.com/$repository/releases/download/v$version|g" \
  "$scripts/../ci/coffer.rb.template")
for system in darwin-arm64 linux-aarch64 linux-x86_64; do
  checksum=$(awk -v name="coffer-$version-$system.tar.gz" '$2 == name { print $1 }' "$work/sums")
  formula=${formula//@SHA256-$system@/$checksum}
done
printf '%s\n' "$formula" >"$work/files/coffer.rb"
(cd "$work/files" && shasum --algorithm 256 coffer.rb | sort -k 2 - "$work/sums" >SHA256SUMS)
awk '/^## / { sections++; next } sections == 1' "$scripts/../CHANGELOG.md" >"$work/notes.md"
mkdir -p "$target"
mv "$work/files" "$work/notes.md" "$target/"
ls "$target/files"
