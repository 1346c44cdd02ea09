#!/usr/bin/env bash
# Builds the command: .build/release/coffer.
#
# Usage: Scripts/build.sh [--static | --dynamic] [OPTION…]      more options of `swift build`
#
#   --static     link everything statically, or fail: the command is one file that runs on any Linux of this architecture
#   --dynamic    link the libraries of Scripts/dependencies.sh dynamically
#
# On Linux, the default is --static if the static archives of all libraries are installed: Debian's packages have them. Swift's libraries are
# static in any case. The command has no debug information, no symbols and no exported names. On macOS, all libraries are dynamic: those of the
# system, and Homebrew's.
set -euo pipefail
cd "$(dirname "$0")/.."

linking=''
case ${1-} in
  --static | --dynamic) linking=${1#--}; shift ;;
esac

build=(swift build -c release --product coffer --force-resolved-versions -Xswiftc -gnone)
# With its driver in process, SwiftPM begins a module as soon as its imported interfaces are written (`awaited` in Package.swift): 180 s instead
# of 255. SwiftPM warns that this option will be removed.
driver=--use-integrated-swift-driver
# Without -q, so that grep reads to the end: a pipe that is closed early would fail the test.
if swift build --help | grep -- "$driver" >/dev/null; then
  # For many files, this driver passes a list in a temporary file, whose name changes with each plan: all modules would be compiled again when an
  # option changes that concerns the linker alone.
  build+=("$driver" -Xswiftc -driver-filelist-threshold=100000)
fi

# Prepares the folder .build/static for the linker, or prints what is missing. Debian's static yajl has a name of its own.
prepare_static() {
  local folder name file missing=()
  folder=$(pkg-config --variable=libdir zlib)
  rm -rf .build/static
  mkdir -p .build/static
  for name in yajl pcre2-8 idn2 unistring yaml lz4 z zstd crypto sqlite3; do
    for file in "$folder/lib$name.a" "$folder/lib${name}_s.a" ''; do
      if [[ -e $file ]]; then ln -s "$file" ".build/static/lib$name.a"; break; fi
    done
    if [[ -z $file ]]; then missing+=("lib$name.a"); fi
  done
  if ((${#missing[@]} > 0)); then
    echo "$folder lacks ${missing[*]}"
    return 1
  fi
}

# Makes the object that takes the place of ICU's data.
reduce_icu() {
  local toolchain library icu=$PWD/.build/icu
  toolchain=$(dirname "$(realpath "$(command -v swiftc)")")
  library=$toolchain/../lib/swift_static/linux/lib_FoundationICU.a
  if [[ -e $library && (! $icu.o -nt $library || ! $icu.o -nt Scripts/reduce-icu.py) ]] && command -v python3 >/dev/null && command -v objcopy >/dev/null; then
    mkdir -p .build
    # SwiftPM doesn't link again for a new object.
    rm -f "$icu.o" .build/release/coffer
    if Scripts/reduce-icu.py "$library" "$icu.s"; then
      "$toolchain/clang" -c "$icu.s" -o "$icu.o"
    fi
    rm -f "$icu.s" "$icu.dat"
  fi
  if [[ -e $icu.o ]]; then
    export COFFER_ICU_DATA=$icu.o
  else
    echo 'The command includes all of ICU'\''s data and is 25 MB larger: install python3 and binutils' >&2
  fi
}

if [[ $(uname) == Linux ]]; then
  build+=(--static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic)
  reduce_icu
  if [[ $linking != dynamic ]]; then
    if problem=$(prepare_static); then
      export COFFER_STATIC=$PWD/.build/static
    elif [[ $linking == static ]]; then
      echo "Can't link statically: $problem" >&2
      exit 1
    else
      echo "The command needs shared libraries, because $problem" >&2
    fi
  fi
elif [[ $linking == static ]]; then
  echo "Can't link statically on $(uname): its libraries are shared" >&2
  exit 1
fi
if [[ ! -e .build/release/coffer ]]; then
  echo 'A first build takes 3 to 5 minutes on two cores, 10 on slow ones.'
fi
exec "${build[@]}" "$@"
