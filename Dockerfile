FROM node:20-slim
WORKDIR /moraine
COPY package.json package-lock.json .npmrc setup.mjs prisma.config.ts ./
COPY prisma prisma
RUN node setup.mjs && mkdir -p .moraine/exports && chown -R node:node /moraine
COPY --chown=node:node . .
USER node
RUN node build/build.mjs
ENV HOST=0.0.0.0
EXPOSE 4000
CMD ["npm", "start"]
