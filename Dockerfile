# The command alone, in an image without anything else. The target `shell` adds BusyBox, for CI systems that run scripts in the image.
#
#   docker build --tag coffer:0.1.0 --build-arg SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)" .
#   docker run --rm --volume "$PWD:/data:ro" coffer:0.1.0 validate export.json
#   docker build --tag coffer:0.1.0-shell --target shell .
ARG SWIFT=6.3
ARG DEBIAN=bookworm
ARG BUSYBOX=1.37

FROM swift:${SWIFT}-${DEBIAN} AS build
WORKDIR /coffer
COPY Scripts/dependencies.sh Scripts/
RUN Scripts/dependencies.sh --package && rm -rf /var/lib/apt/lists/*
COPY . .
ARG SOURCE_DATE_EPOCH=0
ARG MAINTAINER="Coffer maintainers <maintainers@localhost>"
RUN Scripts/package.sh && Scripts/image.sh out/package out/image

FROM busybox:${BUSYBOX} AS shell
LABEL org.opencontainers.image.title="Coffer, with a shell" \
  org.opencontainers.image.description="Validate, convert and compress JSON backups of any size" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="0.1.0"
COPY --from=build /coffer/out/image /
USER 10001
WORKDIR /data

# Last, so that it is the default.
FROM scratch
LABEL org.opencontainers.image.title="Coffer" \
  org.opencontainers.image.description="Validate, convert and compress JSON backups of any size" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.version="0.1.0"
COPY --from=build /coffer/out/image /
USER 10001
WORKDIR /data
ENTRYPOINT ["/usr/bin/coffer"]
CMD ["--help"]
