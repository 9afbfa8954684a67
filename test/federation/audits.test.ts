import { type AuditResult, serverAudits } from "graphql-http";
import { SUBGRAPHS } from "../../core/config/subgraphs.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createSubgraphs } from "../../subgraphs/load.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { type Served, serve, serveGraph } from "./served.ts";

const opened: AsyncDisposable[] = [];
const servers: Record<string, Served> = {};

beforeAll(async () => {
  const database = await indexedAlpha();
  opened.push(database);
  const { config } = database;
  const logger = createLogger("silent");
  const own = { serverUrl: () => "", serviceUrl: () => null };
  const subgraphs = await createSubgraphs({ config, database, logger, ...own }, (subgraph) => opened.push(subgraph));
  servers["gateway"] = await serveGraph({ database, config });
  for (const subgraph of subgraphs) servers[subgraph.name] = await serve(subgraph, logger);
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
  for (const resource of opened.toReversed()) await resource[Symbol.asyncDispose]();
});

describe.each(["gateway", ...SUBGRAPHS.map(({ name }) => name)])("GraphQL over HTTP at the server of %s", (name) => {
  const audits = serverAudits({ url: () => servers[name]?.url ?? "" });

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))("%s %s", async (_id, _name, audit) => {
    const result: AuditResult = await audit.fn();
    expect({ status: result.status, reason: "reason" in result ? result.reason : "" }).toEqual({
      status: "ok",
      reason: "",
    });
  });
});
