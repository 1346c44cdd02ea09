#!/usr/bin/env bash
# Makes a Debian package and a tarball of the command, and SHA256SUMS: out/package.
#
# Usage: Scripts/package.sh [--command FILE] [--to FOLDER]
#
#   --command FILE    package this command instead of building one. It may need libraries that no Debian package has, as debug builds do.
#   --to FOLDER       write here instead of out/package
#
# Both archives have manual pages, completions for bash, zsh and fish, and the licences of everything that is linked statically. The same commit, compiler and
# libraries give the same bytes: SOURCE_DATE_EPOCH is the commit's time, and MAINTAINER its author, unless set. Runs on Debian and Ubuntu.
set -euo pipefail
cd "$(dirname "$0")/.."

command='' target=out/package
dependency_options=()
while (($# > 0)); do
  case $1 in
    --command) command=$2 dependency_options=(--ignore-missing-info) ;;
    --to) target=$2 ;;
    *) sed -n '2,/^$/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift 2
done
if [[ -z $command ]]; then
  Scripts/build.sh
  command=.build/release/coffer
fi

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
maintainer=${MAINTAINER:-$(git log -1 --format='%an <%ae>')}
export SOURCE_DATE_EPOCH LC_ALL=C TZ=UTC0
umask 022
version=$("$command" --version)
architecture=$(dpkg --print-architecture)
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

# Prints the licences of Coffer and of everything that is linked statically. The packages of the other libraries have their licences.
licences() {
  local toolchain name
  echo "Coffer is licensed under the Apache License, version 2.0: the file LICENSE, or /usr/share/common-licenses/Apache-2.0 on Debian."
  section 'Notices' <NOTICE
  toolchain=$(dirname "$(realpath "$(command -v swiftc)")")/..
  section 'Swift: standard library, Foundation, Dispatch (https://www.swift.org)' <"$toolchain/share/swift/LICENSE.txt"
  sed '/^Files: debian/,$d' /usr/share/doc/libicu[0-9]*/copyright | section 'ICU, in Foundation (https://icu.unicode.org)'
  # A header alone, compiled in.
  sed -n 's/^ \*[/ ]\{0,1\}//; /^Copyright/,/^$/p; /^BSD/,/DAMAGE\.$/p' "$(pkg-config --variable=includedir libxxhash)/xxhash.h" |
    section 'xxHash (https://xxhash.com)'
  for name in .build/checkouts/*/; do
    name=$(basename "$name")
    # Tests and documentation alone need these.
    case $name in swift-docc-plugin | swift-docc-symbolkit | swift-subprocess) continue ;; esac
    cat ".build/checkouts/$name/LICENSE"* | section "$name"
  done
}

# Layout of both, as in /usr.
tree=$work/coffer-$version
doc=$tree/share/doc/coffer
mkdir -p "$tree/bin" "$tree/share/man/man1" "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" \
  "$tree/share/fish/vendor_completions.d" "$doc"
install -m 755 "$command" "$tree/bin/coffer"
strip --strip-unneeded --remove-section=.comment "$tree/bin/coffer"
"$command" --experimental-dump-help | Scripts/manual.py "$tree/share/man/man1"
"$command" --generate-completion-script bash | sed '1{/^#!/d}' >"$tree/share/bash-completion/completions/coffer"
"$command" --generate-completion-script zsh >"$tree/share/zsh/site-functions/_coffer"
"$command" --generate-completion-script fish >"$tree/share/fish/vendor_completions.d/coffer.fish"
licences >"$doc/copyright"
gzip -9n "$tree"/share/man/man1/*.1

mkdir -p "$target"
target=$(realpath "$target")
rm -f "$target"/coffer_*.deb "$target"/coffer-*.tar.gz "$target/SHA256SUMS"

# The tarball also has the whole licence, because other systems have no common-licenses.
install -m 644 LICENSE CHANGELOG.md "$doc/"
tarball=$target/coffer-$version-linux-$architecture.tar.gz
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
  -C "$work" -c "coffer-$version" | gzip -9n >"$tarball"

root=$work/root
mkdir -p "$root/DEBIAN"
mv "$tree" "$root/usr"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
doc=$root/usr/share/doc/coffer
rm "$doc/LICENSE"
gzip -9nc "$doc/CHANGELOG.md" >"$doc/changelog.gz"
rm "$doc/CHANGELOG.md"
gzip -9n >"$doc/changelog.Debian.gz" <<END
coffer ($version-1) unstable; urgency=medium

  * Version $version: see changelog.gz.

 -- $maintainer  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
mkdir -p "$work/debian"
printf 'Source: coffer\n\nPackage: coffer\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps "${dependency_options[@]}" -O root/usr/bin/coffer 2>"$work/warnings") || { cat "$work/warnings" >&2; exit 1; }
{
  echo "Package: coffer"
  echo "Version: $version-1"
  echo "Architecture: $architecture"
  echo "Maintainer: $maintainer"
  echo "Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)"
  echo "Depends: ${depends#shlibs:Depends=}"
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
package=$target/coffer_$version-1_$architecture.deb
DPKG_DEB_THREADS_MAX=1 dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null

(cd "$target" && sha256sum "$(basename "$package")" "$(basename "$tarball")" | tee SHA256SUMS)
