import { type AuditResult, serverAudits } from "graphql-http";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { type Served, serveGraph, serveSubgraph } from "./served.ts";

type Indexed = Awaited<ReturnType<typeof indexedAlpha>>;

let database: Indexed;
const servers: Record<string, Served> = {};

beforeAll(async () => {
  database = await indexedAlpha();
  const indexed = { database, config: database.config };
  servers["gateway"] = await serveGraph(indexed);
  servers["subgraph"] = await serveSubgraph(indexed);
});
afterAll(async () => {
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

describe.each(["gateway", "subgraph"])("GraphQL over HTTP at the %s", (name) => {
  const audits = serverAudits({ url: () => servers[name]?.url ?? "" });

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))("%s %s", async (_id, _name, audit) => {
    const result: AuditResult = await audit.fn();
    expect({ status: result.status, reason: "reason" in result ? result.reason : "" }).toEqual({
      status: "ok",
      reason: "",
    });
  });
});
