import { setTimeout as sleep } from "node:timers/promises";
import { databaseBytes, inSession } from "./database.ts";
import { createTarget, get } from "./load.ts";
import { startServer } from "./start-server.ts";
import type { Line } from "./table.ts";

/** V8 compiles functions that are used often while the chains ask their node. */
const REST_MS = 30_000;
const POLL_INTERVAL_MS = 5_000;

/** A database, and what a server over it serves. */
export interface Served {
  readonly url: string;
  readonly evmChains: readonly object[];
  readonly network: object;
  /** The synthetic chains that are indexed in it for this measurement, or are indexed already. */
  readonly synthetic: readonly object[];
}

/** What one chain without new blocks takes, in bytes. Memory in use is what is left after a garbage collection. */
export interface IdleChainFigures {
  readonly disk: number;
  readonly apiInUse: number;
  readonly indexerInUse: number;
}

/** Compares a server with few chains, which then indexes few, with one that serves and indexes hundreds. */
export async function measureIdleChain(few: Served, many: Served): Promise<IdleChainFigures> {
  const [less, more] = [await measure(few), await measure(many)];
  const served = many.evmChains.length - few.evmChains.length;
  const indexed = many.synthetic.length - few.synthetic.length;
  return {
    disk: (more.disk - less.disk) / served,
    apiInUse: (more.apiInUse - less.apiInUse) / served,
    indexerInUse: (more.indexerInUse - less.indexerInUse) / indexed,
  };
}

/** The figure of the indexer is by how much the process grows when it begins to index. */
async function measure({ url, evmChains, synthetic: chains }: Served): Promise<IdleChainFigures> {
  const disk = await databaseBytes(url);
  const indexed = { chains, place: "same process", indexing: { pollIntervalMs: POLL_INTERVAL_MS } } as const;
  await using server = await startServer({ kind: "moraine", url, evmChains, indexed }, ["--expose-gc"]);
  await using target = createTarget(server.url);
  await target.ask(get("/v1/chains"));
  const apiInUse = await server.ask("inUse");
  await server.ask("startIndexing");
  while ((await following(url)) < chains.length) await sleep(500);
  await sleep(REST_MS);
  return { disk, apiInUse, indexerInUse: (await server.ask("inUse")) - apiInUse };
}

/** The number of chains whose head was seen in the last seconds. */
async function following(url: string): Promise<number> {
  const text = `SELECT count(*)::int AS n FROM chain_progress
    WHERE state = 'FOLLOWING' AND head_seen_at > extract(epoch FROM now()) - $1`;
  const { rows } = await inSession(url, (client) =>
    client.query<{ n: number }>(text, [(3 * POLL_INTERVAL_MS) / 1_000]),
  );
  return rows[0]?.n ?? 0;
}

export function idleChainLines({ disk, apiInUse, indexerInUse }: IdleChainFigures): Line[] {
  const row = (name: string, where: string, bytes: number) => [name, where, (bytes / 1_000).toFixed(0)];
  return [
    ["an idle chain takes", "of", "KB"],
    row("disk, with rows in each table", "PostgreSQL", disk),
    row("memory in use", "API", apiInUse),
    row("memory in use", "indexer", indexerInUse),
  ];
}
