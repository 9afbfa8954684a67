import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { type Api, serveIndexed } from "../conformance/api.ts";
import { sending, withQuery } from "../conformance/every-route.ts";
import type { AnyRoute } from "../conformance/rule.ts";
import { RULES } from "../conformance/rules.ts";
import { testConfig } from "../support/config.ts";
import type { TestDatabase } from "../support/database/database.ts";
import { untilIndexed } from "../support/indexed/indexed.ts";
import { until } from "../support/indexed/indexing.ts";

/** A request for each route of REST. */
export const ROUTE_REQUESTS = RULES.flatMap(({ route }) => route ?? []);

/** Later than every time of the recording, so that links and prices do not depend on the clock. */
export const CLOCK_MS = Date.UTC(2027, 0, 1);

/** Serves a database of the recording alpha, at a time at which all databases give the same answers. */
export const serveAtFixedTime = (database: Parameters<typeof serveIndexed>[0]): Promise<Api> =>
  serveIndexed(database, { signatures: true, nowMs: () => CLOCK_MS });

/** A database after the start of this version on it, which follows the recording alpha to its end. Disposing it disposes `owner`. */
export async function startedOn(
  url: string,
  { evmChains, primaryNetworks }: Api["config"],
  owner: AsyncDisposable,
): Promise<TestDatabase> {
  await migrate(url, () => {});
  const database = openDatabase(url, 5, createLogger("silent"));
  const node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  {
    const networks = primaryNetworks.map((one) => ({ ...one, nodeUrl: node.url }));
    const config = { ...testConfig(), evmChains, primaryNetworks: networks };
    await using _indexer = startIndexer(config, url, createLogger("error"));
    const { chains } = node.recording.manifest;
    await untilIndexed(
      { ...database, prisma: database.evm.prisma, url },
      Object.fromEntries(
        chains.flatMap(({ evmChainId, alias }) => (evmChainId ? [[evmChainId, node.head(alias)]] : [])),
      ),
    );
    const states = "SELECT chain, state FROM primary_progress";
    await until(
      async () => (await database.pool.query<{ state: string }>(states)).rows.map(({ state }) => state),
      (found) => found.length === 3 && found.every((state) => state === "FOLLOWING"),
      "the primary network to follow its node",
    );
  }
  return {
    ...database,
    prisma: database.evm.prisma,
    url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await owner[Symbol.asyncDispose]();
    },
  };
}

/** Values that differ from one start of an operation, and from one database, to another. */
const OWN_VALUES = /("nextPageToken"|"operationId"|"createdAtTimestamp"|"updatedAtTimestamp"):("[^"]*"|\d+)/g;

/** The answers of a route: that of its request, and all pages of a list. */
export async function answersOf(api: Pick<Api, "get">, route: AnyRoute): Promise<string[]> {
  const send = sending(route);
  const answers: string[] = [];
  for (let token: string | undefined = ""; token !== undefined; ) {
    const more = token === "" ? "" : `pageToken=${encodeURIComponent(token)}`;
    const { status, text, body } = await send(api, withQuery(route.path, route.query, more));
    answers.push(`${status} ${text.replaceAll(OWN_VALUES, "$1")}`);
    token = (body as { readonly nextPageToken?: string }).nextPageToken;
  }
  return answers;
}
