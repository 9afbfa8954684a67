import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, configSchema } from "../../core/config/config-schema.ts";
import { migrate } from "../../core/database/migrate.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { type Figures, measureInTurns } from "./compare.ts";
import { CHAIN_ID, inSession, isIndexed, tidyUp } from "./database.ts";
import { type IdleChainFigures, measureIdleChain, type Served } from "./idle-chain.ts";
import { createTarget, get } from "./load.ts";
import { startPostgresTime } from "./postgres-time.ts";
import { startServer } from "./start-server.ts";
import { startManyChains } from "./synthetic/many-chains.ts";
import type { Line } from "./table.ts";

const CHAINS = 500;
const FIRST_CHAIN_ID = 6_000_000;
/** The synthetic chains have three blocks, of which one has transactions. */
const SYNTHETIC = { head: 2, filled: 1 };
/** Shorter than for other comparisons, because there are many requests. Each connection plans a statement in its first uses. */
const ROUNDS = { warmUpMs: 2_000, count: 10, ms: 200 };
/** Which requests are measured, by the ids of their operations. Default: all. */
const MEASURED = new RegExp(process.env["MORAINE_BENCH_MANY_CHAINS"] ?? "");
/** These answer with all chains, so their time for a chain is compared. They are measured last: V8 collects their garbage seconds later. */
const OF_ALL_CHAINS = ["listChains"];
/** Their answers need validators or a started export, which the bench has not. */
const UNMEASURED = /signature|aggregate|operation|export/i;

interface Requested {
  readonly id: string;
  readonly path: string;
}

export interface ManyChainsFigures {
  readonly id: string;
  readonly path: string;
  /** With two chains, and with 500. Null if the request was refused. */
  readonly figures: readonly Figures[] | null;
  readonly refusal: string | null;
}

/**
 * Sends each documented request to a server with two chains and to one with 500, in turns, over databases with the same recording, and measures
 * what a chain without new blocks takes.
 */
export async function measureManyChains(
  url: string,
): Promise<{ readonly requests: ManyChainsFigures[]; readonly idle: IdleChainFigures }> {
  await using node = await startReplayNode();
  await using synthetic = await startManyChains(SYNTHETIC);
  const { manifest } = node.recording;
  const network = demoNetwork(manifest, ALPHA, node.url);
  const recorded = configSchema.parse({ evmChains: demoConfig(manifest, node.url), primaryNetworks: [network] });
  const heads = { [CHAIN_ID]: node.head("C"), "760012": node.head("l1"), P: node.head("P"), X: node.head("X") };
  const others = Array.from({ length: CHAINS - recorded.evmChains.length }, (_, i) => ({
    chainId: FIRST_CHAIN_ID + i,
    network: "fuji",
    nodeUrl: synthetic.urlOf(FIRST_CHAIN_ID + i),
    chainName: `Synthetic ${i}`,
  }));
  const evmChains = [...recorded.evmChains, ...others];
  const urls = [await filled(url, "few_chains", recorded, heads), await filled(url, "many_chains", recorded, heads)];
  const [fewUrl = "", manyUrl = ""] = urls;
  await indexSynthetic(manyUrl, others);
  for (const one of urls) await tidyUp(one);
  const few = { url: fewUrl, evmChains: recorded.evmChains, network, synthetic: others.slice(0, 2) };
  const many = { url: manyUrl, evmChains, network, synthetic: others };
  return { requests: await compareServers(few, many), idle: await measureIdleChain(few, many) };
}

/** A database of this name with the recording. Returns its URL. */
async function filled(
  server: string,
  name: string,
  config: Config,
  heads: Readonly<Record<string, number>>,
): Promise<string> {
  await inSession(server, (client) => client.query(`CREATE DATABASE ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  await migrate(url.href);
  await using _indexer = startIndexer(config, url.href, createLogger("error"));
  while (!(await isIndexed(url.href, heads))) await sleep(50);
  return url.href;
}

async function indexSynthetic(url: string, evmChains: readonly object[]): Promise<void> {
  const config = configSchema.parse({ evmChains, indexing: { pollIntervalMs: 5_000 } });
  await using _indexer = startIndexer(config, url, createLogger("error"));
  const text = "SELECT count(*)::int AS n FROM chain_heads WHERE chain_id >= $1 AND block_number = $2";
  const values = [FIRST_CHAIN_ID, SYNTHETIC.head];
  const indexed = async () => {
    const { rows } = await inSession(url, (client) => client.query<{ n: number }>(text, values));
    return rows[0]?.n ?? 0;
  };
  while ((await indexed()) < config.evmChains.length) await sleep(500);
}

async function compareServers(few: Served, many: Served): Promise<ManyChainsFigures[]> {
  const start = ({ url, evmChains, network }: Served) =>
    startServer({ kind: "moraine", url, evmChains, primaryNetworks: [network] });
  await using fewServer = await start(few);
  await using manyServer = await start(many);
  await using fewTarget = createTarget(fewServer.url);
  await using manyTarget = createTarget(manyServer.url);
  await using fewPostgres = await startPostgresTime(few.url);
  await using manyPostgres = await startPostgresTime(many.url);
  const measured: ManyChainsFigures[] = [];
  for (const { id, path } of requests().filter((one) => MEASURED.test(one.id))) {
    const load = get(path);
    const refusal = await Promise.all([fewTarget.ask(load), manyTarget.ask(load)]).then(
      () => null,
      (error: Error) => error.message,
    );
    const candidates = [
      { name: "2 chains", server: fewServer, target: fewTarget, load, databaseMs: fewPostgres.ms },
      { name: `${CHAINS} chains`, server: manyServer, target: manyTarget, load, databaseMs: manyPostgres.ms },
    ];
    measured.push({ id, path, refusal, figures: refusal === null ? await measureInTurns(candidates, ROUNDS) : null });
  }
  return measured;
}

/** What the bench reads of the specification. */
interface Spec {
  readonly paths: Readonly<Record<string, { readonly get?: SpecOperation }>>;
  readonly components: { readonly parameters: Readonly<Record<string, SpecParameter>> };
}

interface SpecOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly $ref: string }[];
}

interface SpecParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly example?: unknown;
  readonly schema: { readonly examples?: readonly unknown[] };
}

/** Optional parameters of requests that are refused without them. */
const SENT: Readonly<Record<string, string>> = {
  listHistoricalRewards: "nodeIds",
  listPrimaryNetworkTransactions: "addresses",
};

/** All documented GET requests, with the examples of their parameters, which are those of the recording. */
function requests(): Requested[] {
  const spec = JSON.parse(readFileSync(new URL("../../spec/openapi.json", import.meta.url), "utf8")) as Spec;
  const all = Object.entries(spec.paths).flatMap(([path, { get: operation }]) =>
    !operation || UNMEASURED.test(operation.operationId)
      ? []
      : [{ id: operation.operationId, path: targetOf(path, operation, spec) }],
  );
  const isOfAll = ({ id }: Requested) => Number(OF_ALL_CHAINS.includes(id));
  return all.toSorted((one, other) => isOfAll(one) - isOfAll(other));
}

function targetOf(path: string, { operationId, parameters = [] }: SpecOperation, spec: Spec): string {
  const all = parameters.map(({ $ref }) => spec.components.parameters[$ref.split("/").at(-1) ?? ""] as SpecParameter);
  const exampleOf = ({ name, example, schema }: SpecParameter) =>
    name === "pageSize" ? "10" : String(example ?? schema.examples?.[0]);
  const values = new Map(all.map((one) => [one.name, exampleOf(one)]));
  const filledPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ""));
  const sent = ["pageSize", SENT[operationId]];
  const query = all.filter((one) => one.in === "query" && (one.required === true || sent.includes(one.name)));
  return `${filledPath}?${new URLSearchParams(query.map((one) => [one.name, exampleOf(one)]))}`;
}

/** A row for each request: processor times of the server and of PostgreSQL, and the ratio of their sums. */
export function manyChainsLines(measured: readonly ManyChainsFigures[]): Line[] {
  const header = ["request", "2 chains: CPU ms", "PostgreSQL ms", `${CHAINS} chains: CPU ms`, "PostgreSQL ms", "ratio"];
  const rows = measured.map(({ id, figures, refusal }) => {
    const [few, many] = figures ?? [];
    if (!few || !many) return [id, `not measured: ${refusal}`];
    const ratio = (many.cpuMs + many.databaseMs) / (few.cpuMs + few.databaseMs);
    const times = [few.cpuMs, few.databaseMs, many.cpuMs, many.databaseMs].map((ms) => ms.toFixed(3));
    const perChain = OF_ALL_CHAINS.includes(id) ? ` (${((ratio * 2) / CHAINS).toFixed(2)} for each chain)` : "";
    return [id, ...times, `${ratio.toFixed(2)}${perChain}`];
  });
  return [header, ...rows];
}
