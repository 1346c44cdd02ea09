#!/usr/bin/env bash
# Packages the command: a tarball, on Linux a wheel for Python, where dpkg is a Debian package, and SHA256SUMS, in out/package.
#
# Usage: Scripts/package.sh [--command FILE] [--to FOLDER]
#
#   --command FILE    package this command instead of building one
#   --to FOLDER       write here instead of out/package
#
# On Linux, the command is static, so that the packages need nothing. All have the licences of what is linked; tarball and Debian package also
# have manual pages, and completions for bash, zsh and fish. The same commit, compiler and libraries give the same bytes: SOURCE_DATE_EPOCH is
# the commit's time, and MAINTAINER its author, unless set. The licences of static libraries come from Debian's packages.
set -euo pipefail
started=$PWD
cd "$(dirname "$0")/.."

usage() {
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# Prints a path of the folder in which this script was called.
path() {
  case $1 in
    /*) echo "$1" ;;
    *) echo "$started/$1" ;;
  esac
}

command='' target=$PWD/out/package
while (($# > 0)); do
  if (($# == 1)); then usage; fi
  case $1 in
    --command) command=$(path "$2") ;;
    --to) target=$(path "$2") ;;
    *) usage ;;
  esac
  shift 2
done
system=$(uname | tr '[:upper:]' '[:lower:]')
if [[ -z $command ]]; then
  if [[ $system == linux ]]; then Scripts/build.sh --static; else Scripts/build.sh; fi
  command=$PWD/.build/release/coffer
fi
if [[ $system == linux ]] && readelf --dynamic "$command" | grep NEEDED >/dev/null; then
  echo "$command needs shared libraries: build it with Scripts/build.sh --static" >&2
  exit 1
fi

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
maintainer=${MAINTAINER:-$(git log -1 --format='%an <%ae>')}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC0
umask 022
version=$("$command" --version)
machine=$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# section TITLE: a part of the licences, from standard input. What follows the Apache License is an exception to it.
section() {
  printf '\n%s\n%s\n\n' "$1" "${1//?/=}"
  awk '
    NR == 1 && /Apache License/ { isApache = 1; print "Apache License, version 2.0 (see above), with this exception:\n" }
    !isApache { print }
    isApache && isException { print }
    /Runtime Library Exception/ { isException = 1 }'
}

# Prints the Debian packages of all static libraries, one of each source: the package, its source and the source's version.
static_packages() {
  # shellcheck disable=SC2016
  local clang name format='${Package} ${source:Package} ${source:Version}\n'
  clang=$(dirname "$(realpath "$(command -v swiftc)")")/clang
  {
    realpath .build/static/*.a
    # The libraries of C and C++, and the compiler's.
    for name in libc.a libstdc++.a libgcc.a; do realpath "$("$clang" -print-file-name=$name)"; done
  } | xargs dpkg --search | cut -d : -f 1 | sort -u | xargs dpkg-query --show --showformat "$format" | awk '!seen[$2]++'
}

# Prints the licences of Coffer and of everything that is linked.
licences() {
  local toolchain name package source source_version
  echo "Coffer is licensed under the Apache License, version 2.0: the file LICENSE, or /usr/share/common-licenses/Apache-2.0 on Debian."
  section 'Notices' <NOTICE
  for name in .build/checkouts/*/; do
    name=$(basename "$name")
    # Tests and documentation alone need these.
    case $name in swift-docc-plugin | swift-docc-symbolkit | swift-subprocess) continue ;; esac
    cat ".build/checkouts/$name/LICENSE"* | section "$name"
  done
  if [[ $system != linux ]]; then return; fi
  toolchain=$(dirname "$(realpath "$(command -v swiftc)")")/..
  section 'Swift: standard library, Foundation, Dispatch (https://www.swift.org)' <"$toolchain/share/swift/LICENSE.txt"
  sed '/^Files: debian/,$d' /usr/share/doc/libicu[0-9]*/copyright | section 'ICU, in Foundation (https://icu.unicode.org)'
  # A header alone, compiled in.
  sed -n 's/^ \*[/ ]\{0,1\}//; /^Copyright/,/^$/p; /^BSD/,/DAMAGE\.$/p' "$(pkg-config --variable=includedir libxxhash)/xxhash.h" |
    section 'xxHash (https://xxhash.com)'
  section 'Static libraries' <<END
The following libraries are linked statically. Their sources are those of Debian, at the versions named here. Some of them, such as the GNU C
Library, libidn2 and libunistring, are under the GNU Lesser General Public License. You may replace them with changed versions: Coffer's
sources are free, and Scripts/build.sh --static links them with the archives that are installed.
END
  while read -r package source source_version; do
    section "$source $source_version (https://snapshot.debian.org/package/$source/${source_version//:/%3A}/)" <"/usr/share/doc/$package/copyright"
  done <"$work/libraries"
}

# Prints the licences that Debian's files of licences refer to. Other systems don't have them.
common_licences() {
  local path
  # The Apache License is the file LICENSE. A name without a version means the newest one.
  grep -oE '/usr/share/common-licenses/[A-Za-z]+[-.0-9]*[0-9]|/usr/share/common-licenses/L?GPL' "$1" | grep -v Apache | sort -u | while read -r path; do
    # shellcheck disable=SC2094
    section "$path" <"$path"
  done
}

if [[ $system == linux ]]; then static_packages >"$work/libraries"; fi

# The layout of tarball and Debian package, as in /usr.
tree=$work/coffer-$version
doc=$tree/share/doc/coffer
mkdir -p "$tree/bin" "$tree/share/man/man1" "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" \
  "$tree/share/fish/vendor_completions.d" "$doc"
install -m 755 "$command" "$tree/bin/coffer"
# On macOS, the linker has signed the command, and a change would break the signature.
if [[ $system == linux ]]; then strip --strip-unneeded --remove-section=.comment "$tree/bin/coffer"; fi
"$command" --experimental-dump-help | Scripts/manual.py "$tree/share/man/man1"
"$command" --generate-completion-script bash | sed '1{/^#!/d;}' >"$tree/share/bash-completion/completions/coffer"
"$command" --generate-completion-script zsh >"$tree/share/zsh/site-functions/_coffer"
"$command" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/coffer.fish"
licences >"$doc/copyright"
gzip -9n "$tree"/share/man/man1/*.1
install -m 644 LICENSE CHANGELOG.md "$doc/"
if [[ $system == linux ]]; then common_licences "$doc/copyright" >"$doc/common-licences"; fi

mkdir -p "$target"
rm -f "$target"/coffer_*.deb "$target"/coffer-*.tar.gz "$target"/coffer_json-*.whl "$target/SHA256SUMS"

# Files alone: entries for folders would change the modes of those in /usr/local. GNU tar is gtar on macOS.
(cd "$work" && find "coffer-$version" -type f | sort |
  "$(command -v gtar || command -v tar)" --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -T - -c) | gzip -9n >"$target/coffer-$version-$system-$machine.tar.gz"

# On macOS, the command needs Homebrew's libraries, which pip can't install.
if [[ $system == linux ]]; then
  tools=$PWD/.build/package-tools
  Scripts/python-tools.sh "$tools" "$(grep ^hatchling Python/requirements.txt)"
  mkdir "$work/wheel" "$work/wheel/build"
  cp -r Python/pyproject.toml Python/hatch_build.py Python/README.md Python/src "$doc"/* "$work/wheel/"
  find "$work/wheel" -name __pycache__ -prune -exec rm -rf {} +
  cp "$tree/bin/coffer" "$work/wheel/build/"
  (cd "$work/wheel" && "$tools/bin/python" -m hatchling build --target wheel --directory "$target")
fi

if command -v dpkg-deb >/dev/null; then
  architecture=$(dpkg --print-architecture)
  root=$work/root
  mkdir -p "$root/DEBIAN"
  mv "$tree" "$root/usr"
  mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
  doc=$root/usr/share/doc/coffer
  rm "$doc/LICENSE" "$doc/common-licences"
  gzip -9nc "$doc/CHANGELOG.md" >"$doc/changelog.gz"
  rm "$doc/CHANGELOG.md"
  gzip -9n >"$doc/changelog.Debian.gz" <<END
coffer ($version-1) unstable; urgency=medium

  * Version $version: see changelog.gz.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
  {
    echo "Package: coffer"
    echo "Version: $version-1"
    echo "Architecture: $architecture"
    echo "Maintainer: $maintainer"
    echo "Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)"
    echo "Built-Using: $(awk '{ print $2 " (= " $3 ")" }' "$work/libraries" | sort -u | paste -sd , | sed 's/,/, /g')"
    echo "Section: utils"
    echo "Priority: optional"
    echo "Description: validate, convert and compress JSON backups of any size"
    echo " Coffer validates, inspects, converts, compares and merges JSON backups, and"
    echo " moves them in and out of SQLite. It checks rules that JSON Schema can't"
    echo " express, such as unique keys and references between collections, in one pass"
    echo " on all cores. Memory doesn't depend on the size of the file."
  } >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  # dpkg-deb gives files that are newer than SOURCE_DATE_EPOCH this time.
  DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root" "$target/coffer_$version-1_$architecture.deb" >/dev/null
fi

# macOS has shasum, not sha256sum.
(cd "$target" && shasum --algorithm 256 coffer[_-]* | tee SHA256SUMS)
