# Two stages of one Node.js 24. The first installs, generates and builds; the second has only what runs.
FROM node:24-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df AS node

FROM node AS build
WORKDIR /moraine
COPY package.json package-lock.json .npmrc ./
COPY commands/setup.mjs commands/
COPY prisma prisma
COPY tools/prisma tools/prisma
RUN --mount=type=cache,target=/root/.npm node commands/setup.mjs
COPY . .
RUN node --import tsx tools/release/release.ts /release

# Node.js without npm. A stage from nothing has no layer that still contains it.
FROM node AS runtime
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /usr/local/share /usr/local/bin/np* /usr/local/bin/corepack /usr/local/bin/yarn* /opt/* /usr/share/doc \
  && mkdir -p /moraine/.moraine && chown node:node /moraine/.moraine
FROM scratch
# hadolint ignore=DL3067
COPY --from=runtime / /
COPY --from=build /release /moraine
WORKDIR /moraine
# The user `node`, by number: Kubernetes cannot tell from a name that it is not root.
USER 1000:1000
ENV NODE_ENV=production HOST=0.0.0.0 PATH=/usr/local/bin:/usr/bin:/bin
# Exported files, the identity of the signature service and, without DATABASE_URL, the database. Docker gives a new volume the owner of
# the directory in the image, so Moraine can write to it.
VOLUME /moraine/.moraine
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --start-period=120s --interval=30s --timeout=5s CMD ["node", "tools/build/health-check.mjs", "http://127.0.0.1:4000/v1/live-check"]
CMD ["node", "moraine", "start"]
