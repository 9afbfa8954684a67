import { type AuditResult, serverAudits } from "graphql-http";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { type Served, serveGraph, serveSubgraph } from "./served.ts";

type Indexed = Awaited<ReturnType<typeof indexedAlpha>>;

/** Failed audits of level SHOULD, by id, with the reason. An audit of level MUST may not be listed. */
const KNOWN_FAILURES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gateway: {},
  subgraph: {
    "572B": "Apollo Server answers 400 for a document that it cannot parse, whatever media type is accepted",
    FDE2: "Apollo Server answers 400 for a document that is not valid, whatever media type is accepted",
    "7B9B": "Apollo Server answers 400 for variables of the wrong type, whatever media type is accepted",
  },
};

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
  const known = KNOWN_FAILURES[name] ?? {};
  const audits = serverAudits({ url: () => servers[name]?.url ?? "" });

  it.each(audits.map((audit) => [audit.id, audit.name, audit] as const))("%s %s", async (id, _, audit) => {
    const result: AuditResult = await audit.fn();
    const reason = "reason" in result ? result.reason : "";
    expect({ status: result.status, reason: known[id] ? "known" : reason }).toEqual(
      known[id] ? { status: "warn", reason: "known" } : { status: "ok", reason: "" },
    );
  });

  it("lists only audits that exist, all of level SHOULD", () => {
    const levels = audits.filter(({ id }) => known[id]).map((audit) => audit.name.split(" ")[0]);
    expect(levels).toEqual(Object.keys(known).map(() => "SHOULD"));
  });
});
