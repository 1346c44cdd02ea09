# The command in Debian, without Swift.
#
#   docker build --tag coffer:0.1.0 --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .
#   docker run --rm --volume "$PWD:/data:ro" coffer:0.1.0 validate export.json
ARG SWIFT=6.3
ARG DEBIAN=bookworm

FROM swift:${SWIFT}-${DEBIAN} AS build
WORKDIR /coffer
COPY Scripts/dependencies.sh Scripts/
RUN Scripts/dependencies.sh --package && rm -rf /var/lib/apt/lists/*
COPY . .
ARG SOURCE_DATE_EPOCH=0
ARG MAINTAINER="Coffer maintainers <maintainers@localhost>"
RUN Scripts/package.sh

FROM debian:${DEBIAN}-slim
LABEL org.opencontainers.image.title="Coffer" \
  org.opencontainers.image.description="Validate, convert and compress JSON backups of any size" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="0.1.0"
# The package names the libraries that the command needs.
RUN --mount=type=bind,from=build,source=/coffer/out/package,target=/package \
  apt-get update \
  && apt-get install --yes --no-install-recommends /package/coffer_*.deb \
  && rm -rf /var/lib/apt/lists/* \
  && useradd --no-create-home --uid 10001 coffer
USER 10001
WORKDIR /data
ENTRYPOINT ["coffer"]
CMD ["--help"]
