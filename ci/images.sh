#!/usr/bin/env bash
# Builds the container images of a release from its files, for both architectures, and pushes them.
#
# Usage: ci/images.sh NAME VERSION RELEASE      RELEASE: the folder that Scripts/release.sh wrote
set -euo pipefail
cd "$(dirname "$0")/.."

name=$1 version=$2 release=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for suffix in '' -shell; do
  images=()
  for platform in amd64:x86_64 arm64:aarch64; do
    image=$name:$version$suffix-${platform%:*}
    # A folder in the place of the stage `build`: nothing is compiled.
    context=$work/${platform#*:}
    Scripts/image.sh "$release/files" "$context/coffer/out/image" "${platform#*:}"
    options=()
    if [[ -n $suffix ]]; then options=(--target "${suffix#-}"); fi
    docker buildx build --platform "linux/${platform%:*}" --build-context "build=$context" --provenance=false \
      --label "org.opencontainers.image.source=https://github.com/${name#*/}" ${options[@]+"${options[@]}"} --tag "$image" --push .
    images+=("$image")
  done
  docker buildx imagetools create --tag "$name:$version$suffix" "${images[@]}"
done
