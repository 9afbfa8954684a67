FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /moraine
COPY package.json package-lock.json .npmrc prisma.config.ts ./
COPY commands/setup.mjs commands/
COPY prisma prisma
# The directories that docker-compose.yml mounts must exist: Docker gives a volume at another path to root, and Moraine could not write to it.
RUN node commands/setup.mjs && npm cache clean --force && mkdir -p .moraine/exports .moraine/signatures && chown -R node:node /moraine
COPY --chown=node:node . .
USER node
RUN node tools/build/build.mjs
ENV HOST=0.0.0.0
EXPOSE 4000
HEALTHCHECK --start-period=120s --interval=30s --timeout=5s CMD ["node", "tools/build/health-check.mjs", "http://127.0.0.1:4000/v1/live-check"]
CMD ["node", "moraine", "start"]
