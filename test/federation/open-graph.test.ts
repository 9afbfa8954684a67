import { type ExecutionResult, GraphQLError } from "graphql";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createLogger } from "../../core/observability/logger.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { startReplayNode } from "../../recordings/replay-node.ts";
import { createSubgraphs } from "../../subgraphs/load.ts";
import { until } from "../process/until.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { untilIndexed } from "../support/indexed/indexed.ts";
import { createLogLines } from "../support/log-lines.ts";
import { type OtherSubgraph, serveOpenGraph, serveOther } from "./other-teams.ts";
import { ask } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";
import { overSse, overWebSocket } from "./subscribe.ts";

const { supergraph: ownSupergraph, subgraphs: own } = createSmallSubgraphs();
const OWN = { own, ownSupergraph };

/** Adds `colour` to a thing of Moraine's own subgraphs, and ticks. */
const COLOURS = `type Thing @key(fields: "id") { id: String! colour: String }
  type Query { colours: [String] } type Mutation { paint: Int } type Subscription { ticked: Int painted: Thing }`;
const wait = () => new Promise<void>((done) => setTimeout(done, 5));

function colours(more: object = {}) {
  return {
    Query: { colours: () => ["red"] },
    Mutation: { paint: () => 1 },
    Thing: { __resolveReference: (key: object) => key, colour: ({ id }: { id: string }) => `colour ${id}`, ...more },
    Subscription: {
      ticked: {
        async *subscribe() {
          for (let ticked = 0; ; ticked++, await wait()) yield { ticked };
        },
      },
      painted: {
        async *subscribe() {
          yield { painted: { id: "2" } };
        },
      },
    },
  };
}

const settingOf = ({ url }: OtherSubgraph, more: object = {}) => ({ subgraphs: [{ name: "colours", url, ...more }] });
const JOINED = "{ things { id name colour } colours }";
const JOINED_DATA = {
  things: [
    { id: "1", name: "first", colour: "colour 1" },
    { id: "2", name: "second", colour: "colour 2" },
  ],
  colours: ["red"],
};

describe("subgraphs of other teams", () => {
  it("are joined with Moraine's own in one query and in the events of both", async () => {
    await using other = await serveOther(COLOURS, colours());
    await using graph = await serveOpenGraph(settingOf(other), OWN);
    expect(await ask(graph.url, JOINED)).toEqual({ data: JOINED_DATA });
    const [fromOwn, fromOther] = await Promise.all([
      firstOf(overSse<ExecutionResult>(graph.url, "subscription { changed { name colour } }")),
      firstOf(overWebSocket<ExecutionResult>(graph.url, "subscription { painted { name colour } }")),
    ]);
    expect(fromOwn).toEqual({ data: { changed: { name: "first", colour: "colour 1" } } });
    expect(fromOther).toEqual({ data: { painted: { name: "second", colour: "colour 2" } } });
  });

  it("are replaced while requests are answered and subscriptions go on, on connections that stay open", async () => {
    await using other = await serveOther(COLOURS, colours());
    await using graph = await serveOpenGraph(settingOf(other), OWN);
    const wrong: unknown[] = [];
    const stop = new AbortController();
    const asking = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const answer = await ask(graph.url, JOINED).catch(String);
        if (JSON.stringify(answer) !== JSON.stringify({ data: JOINED_DATA })) wrong.push(answer);
      }
    });
    const connections: WebSocket[] = [];
    const client = createClient({
      url: graph.url.replace("http", "ws"),
      webSocketImpl: class extends WebSocket {
        constructor(...args: ConstructorParameters<typeof WebSocket>) {
          super(...args);
          connections.push(this);
        }
      },
      lazy: false,
      retryAttempts: 0,
    });
    const ticks = [
      client.iterate({ query: "subscription { ticked }" }) as AsyncIterableIterator<ExecutionResult>,
      overSse<ExecutionResult>(graph.url, "subscription { ticked }"),
    ];
    const seen: number[][] = [[], []];
    const ticking = ticks.map(async (events, at) => {
      for await (const { data } of events) seen[at]?.push(data?.["ticked"] as number);
    });
    await until(
      () => seen.every(({ length }) => length > 3),
      () => JSON.stringify(seen),
    );
    for (let version = 1; version <= 2; version++) {
      const field = `shade${version}`;
      const definitions = COLOURS.replace("colour: String", `colour: String ${field}: Int`).replace("ticked: Int ", "");
      const {
        Subscription: { painted },
        ...resolvers
      } = colours({ [field]: () => version });
      other.change(definitions, { ...resolvers, Subscription: { painted } });
      await graph.opened.reload(graph.setting);
      const query = `{ thing { ${field} } }`;
      const onOpenConnection = await firstOf(client.iterate({ query }));
      expect([onOpenConnection, await ask(graph.url, query)]).toEqual(
        Array.from({ length: 2 }, () => ({ data: { thing: { [field]: version } } })),
      );
    }
    const before = seen.map(({ length }) => length);
    await until(
      () => seen.every(({ length }, at) => length > (before[at] ?? 0) + 3),
      () => JSON.stringify(seen),
    );
    // Every event has come once and in order.
    for (const numbers of seen) expect(numbers).toEqual(numbers.map((_, at) => at));
    expect((await ask(graph.url, "{ things { shade1 } }")).errors?.[0]?.message).toMatch(/Cannot query field "shade1"/);
    stop.abort();
    await Promise.all(asking);
    expect(wrong).toEqual([]);
    expect(connections).toHaveLength(1);
    for (const events of ticks) void events.return?.(undefined);
    await client.dispose();
    await Promise.all(ticking);
  });

  it("leave the earlier graph while they do not compose, with a warning in health and one line in the log for each reason", async () => {
    const { logger, lines } = createLogLines("info");
    await using other = await serveOther(COLOURS, colours());
    await using graph = await serveOpenGraph(settingOf(other), { ...OWN, logger });
    const health = async () => (await fetch(new URL("/health", graph.url))).json();
    const before = (await health()) as { readonly supergraph: object };
    expect(before).toEqual({
      healthy: true,
      supergraph: { hash: expect.stringMatching(/^[0-9a-f]{12}$/), since: expect.any(String) },
    });
    // Moraine's own name is a text.
    other.change(COLOURS.replace("colour: String", "colour: String name: Int @shareable"), colours());
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(graph.opened.reload(graph.setting)).rejects.toThrow(/the subgraphs do not compose: .*Thing/);
    expect(await ask(graph.url, JOINED)).toEqual({ data: JOINED_DATA });
    const warning = expect.stringMatching(/could not be read, composed or used/);
    expect(await health()).toEqual({ healthy: true, supergraph: { ...before.supergraph, warning } });
    const reasons = () => lines.filter(({ msg }) => /loading of the supergraph fails/.test(String(msg)));
    expect(reasons()).toHaveLength(1);
    other.change("type Query { colours: [String] } type Thing { id: Int }", colours());
    await expect(graph.opened.reload(graph.setting)).rejects.toThrow(/the subgraphs do not compose: /);
    expect(reasons()).toHaveLength(2);
    other.change(COLOURS, colours());
    await graph.opened.reload(graph.setting);
    expect(await health()).toEqual(before);
    expect(lines.at(-1)?.["msg"]).toMatch(/works again/);
  });

  it("add fields to what Moraine's own index returns, in a query and in the event of a new block", async () => {
    await using database = await createTestDatabase();
    await using node = await startReplayNode({ heads: "full" });
    node.setHead("C", 3);
    const config = testConfig({ evmChains: [demoConfig(node.recording.manifest, node.url)[0]] });
    const logger = createLogger("silent");
    await using _indexer = startIndexer(config, database.url, logger);
    await untilIndexed(database, { "760011": 3 });
    const opened: AsyncDisposable[] = [];
    const deps = { database, config, logger, serviceUrl: () => null };
    const moraine = await createSubgraphs(deps, (subgraph) => opened.push(subgraph));
    await using other = await serveOther(
      `type EvmAddress @key(fields: "chainId address") { chainId: String! address: Address! label: String } scalar Address
       type Query { anything: Int }`,
      {
        EvmAddress: {
          __resolveReference: (key: object) => key,
          label: ({ chainId, address }: Readonly<Record<string, string>>) => `${chainId} ${address}`,
        },
      },
    );
    const setting = { subgraphs: [{ name: "labels", url: other.url }] };
    await using graph = await serveOpenGraph(setting, { own: moraine, ownSupergraph: committedSupergraph(), config });
    const miner = "miner minerEvmAddress { label }";
    const { data } = await ask(graph.url, `{ evmBlock(chainId: "760011", blockNumber: "2") { ${miner} } }`);
    const expected = (block: { readonly miner: string }) => ({
      miner: block.miner,
      minerEvmAddress: { label: `760011 ${block.miner}` },
    });
    expect(data?.["evmBlock"]).toEqual(expected(data?.["evmBlock"] as { miner: string }));
    const events = overSse<ExecutionResult>(
      graph.url,
      `subscription { blockAdded(chainId: "760011") { blockNumber ${miner} } }`,
    );
    const first = firstOf(events);
    let head = 3;
    const growing = setInterval(() => node.setHead("C", Math.min(++head, 200)), 100);
    const block = (await first)?.data?.["blockAdded"] as { readonly miner: string; readonly blockNumber: string };
    clearInterval(growing);
    expect(block).toEqual({ blockNumber: block.blockNumber, ...expected(block) });
    for (const subgraph of opened) await subgraph[Symbol.asyncDispose]();
  });

  it("are left out at the start if they cannot be reached, and joined as soon as they can", async () => {
    await using other = await serveOther(COLOURS, colours());
    other.treatments.push("closes");
    await using graph = await serveOpenGraph({ ...settingOf(other), pollIntervalMs: 20 }, OWN);
    expect(graph.opened.status()).toEqual({ warning: expect.any(String) });
    await until(
      () => graph.opened.status()?.hash,
      () => JSON.stringify(graph.opened.status()),
    );
    expect(await ask(graph.url, JOINED)).toEqual({ data: JOINED_DATA });
  });

  it("get the headers of callers that the settings name, and no others", async () => {
    await using other = await serveOther(COLOURS, colours());
    await using graph = await serveOpenGraph(
      settingOf(other, { headersToForward: ["X-Tenant", "authorization"] }),
      OWN,
    );
    const sent = { "x-tenant": "t1", authorization: "Bearer b", "x-secret": "s", cookie: "c=1" };
    await ask(graph.url, "{ colours }", sent);
    expect(other.headers[0]).toMatchObject({ "x-tenant": "t1", authorization: "Bearer b" });
    expect(Object.keys(other.headers[0] ?? {})).not.toContain("x-secret");
    expect(Object.keys(other.headers[0] ?? {})).not.toContain("cookie");
    await ask(graph.url, "{ things { name } }", sent);
    const painted = (params: Record<string, string>) =>
      firstOf(overWebSocket(graph.url, "subscription { painted { id } }", params));
    await Promise.all([painted({ "X-Tenant": "t2", other: "o" }), painted({ "x-tenant": "t3" }), painted({})]);
    expect(other.inits).toHaveLength(3);
    expect(other.inits).toEqual(expect.arrayContaining([{ "x-tenant": "t2" }, { "x-tenant": "t3" }, {}]));
  });

  it("are asked again as often as the settings say after a failure of the connection or the server, but never by mutations", async () => {
    await using other = await serveOther(COLOURS, colours());
    await using graph = await serveOpenGraph(settingOf(other, { retries: 2 }), OWN);
    other.treatments.push("closes", 503);
    expect(await ask(graph.url, "{ colours }")).toEqual({ data: { colours: ["red"] } });
    other.treatments.push(500, 500, 500, 200);
    // The body of the last answer is a result.
    expect(await ask(graph.url, "{ colours }")).toEqual({ data: { colours: ["red"] } });
    expect(other.treatments.splice(0)).toEqual([200]);
    other.headers.length = 0;
    other.treatments.push("closes");
    expect((await ask(graph.url, "mutation { paint }")).errors?.[0]?.extensions).toEqual({ code: "UNAVAILABLE" });
    expect(other.headers).toHaveLength(1);
  });

  it("show callers the messages and codes of their errors, but nothing of those that they mark as internal", async () => {
    const failing = (code?: string) => () => {
      throw new GraphQLError(`failed with ${code}`, {
        extensions: { ...(code && { code }), stacktrace: ["a secret"] },
      });
    };
    const { painted } = colours().Subscription;
    const definitions = COLOURS.replace("paint: Int", "paint: Int internal: Int noCode: Int");
    await using other = await serveOther(definitions, {
      Mutation: { paint: failing("BAD_USER_INPUT"), internal: failing("INTERNAL_SERVER_ERROR"), noCode: failing() },
      Thing: { __resolveReference: (key: object) => key, colour: failing("COLOUR_UNKNOWN") },
      Subscription: { painted, ticked: { subscribe: failing("TICKS_ENDED") } },
    });
    await using graph = await serveOpenGraph(settingOf(other), OWN);
    const shown = (path: readonly (string | number)[], code: string) => ({
      message: `failed with ${code}`,
      path,
      extensions: { code },
    });
    expect((await ask(graph.url, "{ things { colour } }")).errors).toEqual([
      shown(["things", 0, "colour"], "COLOUR_UNKNOWN"),
      shown(["things", 1, "colour"], "COLOUR_UNKNOWN"),
    ]);
    expect((await ask(graph.url, "mutation { paint internal noCode }")).errors).toEqual([
      shown(["paint"], "BAD_USER_INPUT"),
      { message: "internal error", path: ["internal"], extensions: { code: "INTERNAL" } },
      { message: "failed with undefined", path: ["noCode"], extensions: { code: "UPSTREAM_FAILED" } },
    ]);
    const events = ["painted { colour }", "ticked"].map((field) =>
      firstOf(overSse<ExecutionResult>(graph.url, `subscription { ${field} }`)),
    );
    expect((await Promise.all(events)).map((event) => event?.errors)).toEqual([
      [shown(["painted", "colour"], "COLOUR_UNKNOWN")],
      [shown(["ticked"], "TICKS_ENDED")],
    ]);
  });

  it("are given up after the time of the settings, and not asked again", async () => {
    await using other = await serveOther(COLOURS, colours());
    const { logger, lines } = createLogLines("info");
    await using graph = await serveOpenGraph(settingOf(other, { timeoutMs: 50, retries: 2 }), { ...OWN, logger });
    lines.length = 0;
    other.treatments.push("hangs");
    const { data, errors } = await ask(graph.url, "{ colours thing { name } }");
    expect([data, errors?.[0]?.extensions]).toEqual([
      { colours: null, thing: { name: "first" } },
      { code: "UNAVAILABLE" },
    ]);
    expect(other.headers).toHaveLength(1);
    other.treatments.push("hangs");
    await ask(graph.url, "{ colours }");
    await ask(graph.url, "{ colours }");
    expect(lines.map(({ msg }) => msg)).toEqual([
      "the subgraph colours fails and is tried again: Headers Timeout Error",
      expect.stringMatching(/^the subgraph colours works again after \d+ s and 2 failures$/),
    ]);
  });
});

async function firstOf<Event>(events: AsyncIterable<Event>): Promise<Event | undefined> {
  for await (const event of events) return event;
  return undefined;
}
