import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { configSchema } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexerProcesses } from "../../indexer/process/indexer-processes.ts";
import { inSession } from "./database.ts";
import { megabytes, percentile } from "./figures.ts";
import { childrenMs, idleMs, peakMemoryBytes, postgresMs, postgresServer } from "./processor-time.ts";
import { startNode } from "./synthetic/start-node.ts";
import type { Line } from "./table.ts";

const BLOCKS = 3_000;
/** Each chain is written once. */
const FIRST_CHAIN_ID = 970_000;
/** The ways are measured in turns, because the speed of a shared machine changes. */
const ROUNDS = 3;
const WORKER = "indexer/process/worker";
/** With less than this, in cores, the machine and not the indexer limits the speed. */
const FREE_CORES = 0.25;

interface Way {
  readonly chains: number;
  readonly processes: number;
}

const WAYS: readonly Way[] = [
  { chains: 1, processes: 1 },
  { chains: 2, processes: 1 },
  { chains: 2, processes: 2 },
];

/** The figures of one round. Processor times are in cores: seconds of processor time for each second. */
interface Round {
  readonly blocksPerSecond: number;
  readonly postgres: number;
  readonly nodes: number;
  /** Of each process of the indexer. */
  readonly indexers: readonly number[];
  /** The largest resident set of all processes of the indexer, in bytes. */
  readonly memoryBytes: number;
  /** Cores that had nothing to do. */
  readonly idle: number;
}

export interface TwoChainsFigures extends Way {
  readonly rounds: readonly Round[];
}

/** Indexes one synthetic chain with call trees, and two at once in one process and in two, as `npm start` does. */
export async function measureTwoChains(url: string): Promise<TwoChainsFigures[]> {
  const figures = WAYS.map((way) => ({ ...way, rounds: [] as Round[] }));
  let chainId = FIRST_CHAIN_ID;
  for (let round = 0; round < ROUNDS; round++)
    for (const { rounds, chains, processes } of figures) {
      const chainIds = Array.from({ length: chains }, () => chainId++);
      rounds.push(await inSession(url, (client) => measure({ url, client, chainIds, processes })));
    }
  return figures;
}

interface Measurement {
  readonly url: string;
  readonly client: pg.Client;
  readonly chainIds: readonly number[];
  readonly processes: number;
}

async function measure({ url, client, chainIds, processes }: Measurement): Promise<Round> {
  await using nodes = await startNodes(chainIds);
  const evmChains = chainIds.map((chainId, i) => {
    const nodeUrl = nodes.urls[i];
    return { chainId, network: "fuji", nodeUrl, chainName: "Synthetic", traces: "on" };
  });
  const config = configSchema.parse({ evmChains, indexing: { processes } });
  await using indexer = startIndexerProcesses({ config, databaseUrl: url, logger: createLogger("error") });
  indexer.begin();
  // The first blocks are not counted: the processes load their program, and create partitions.
  let first = 0;
  while (first === 0) first = await indexedBlocks(client, chainIds);
  const server = await postgresServer(url);
  const before = { at: performance.now(), postgres: postgresMs(server), nodes: await nodes.cpuMs(), idle: idleMs() };
  const indexersBefore = childrenMs(WORKER);
  while ((await indexedBlocks(client, chainIds)) < BLOCKS * chainIds.length) await sleep(20);
  const elapsedMs = performance.now() - before.at;
  const indexersAfter = [...childrenMs(WORKER)];
  return {
    blocksPerSecond: ((BLOCKS * chainIds.length - first) * 1_000) / elapsedMs,
    postgres: (postgresMs(server) - before.postgres) / elapsedMs,
    nodes: ((await nodes.cpuMs()) - before.nodes) / elapsedMs,
    indexers: indexersAfter.map(([pid, ms]) => (ms - (indexersBefore.get(pid) ?? 0)) / elapsedMs),
    memoryBytes: indexersAfter.reduce((sum, [pid]) => sum + peakMemoryBytes(pid), 0),
    idle: (idleMs() - before.idle) / elapsedMs,
  };
}

interface Nodes extends AsyncDisposable {
  readonly urls: readonly string[];
  /** Processor time of all nodes. */
  cpuMs(): Promise<number>;
}

async function startNodes(chainIds: readonly number[]): Promise<Nodes> {
  const nodes = await Promise.all(chainIds.map((chainId) => startNode({ chainId, blocks: BLOCKS })));
  return {
    urls: nodes.map(({ url }) => url),
    async cpuMs() {
      const all = await Promise.all(nodes.map((node) => node.cpuMs()));
      return all.reduce((sum, one) => sum + one, 0);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node[Symbol.asyncDispose]()));
    },
  };
}

/** Number of indexed blocks of all chains; 0 until each has some. */
async function indexedBlocks(client: pg.Client, chainIds: readonly number[]): Promise<number> {
  const text = "SELECT (block_number + 1)::int AS blocks FROM chain_heads WHERE chain_id = ANY ($1::bigint[])";
  const { rows } = await client.query<{ blocks: number }>(text, [chainIds]);
  return rows.length < chainIds.length ? 0 : rows.reduce((sum, { blocks }) => sum + blocks, 0);
}

/** Each figure is the median of all rounds. */
export function twoChainsLines(figures: readonly TwoChainsFigures[]): Line[] {
  const header = [
    "chains at once",
    "processes of the indexer",
    "blocks/s",
    "ratio",
    "cores: each indexer",
    "PostgreSQL",
    "nodes",
    "idle",
    "memory of the indexer",
  ];
  const speed = ({ rounds }: TwoChainsFigures) => median(rounds, ({ blocksPerSecond }) => blocksPerSecond);
  const [alone] = figures;
  const rows = figures.map((one) => [
    String(one.chains),
    String(one.processes),
    Math.round(speed(one)).toLocaleString("en"),
    alone ? (speed(one) / speed(alone)).toFixed(2) : "",
    Array.from({ length: one.processes }, (_, i) => cores(one, ({ indexers }) => indexers[i] ?? 0)).join(" + "),
    cores(one, ({ postgres }) => postgres),
    cores(one, ({ nodes }) => nodes),
    cores(one, ({ idle }) => idle),
    megabytes(median(one.rounds, ({ memoryBytes }) => memoryBytes)),
  ]);
  return [header, ...rows];
}

/** Says whether the machine limited the speed of two chains in two processes. */
export function freeCoresLine(figures: readonly TwoChainsFigures[]): Line {
  const two = figures.at(-1);
  const idle = two ? median(two.rounds, (round) => round.idle) : 0;
  const machine = `This machine has ${availableParallelism()} cores.`;
  return [
    idle < FREE_CORES
      ? `${machine} None was free while two chains were indexed, so the ratio is lower than on a machine with more cores.`
      : `${machine} ${idle.toFixed(2)} were free while two chains were indexed.`,
  ];
}

const median = (rounds: readonly Round[], read: (round: Round) => number): number => percentile(rounds.map(read), 0.5);
const cores = ({ rounds }: TwoChainsFigures, read: (round: Round) => number): string => median(rounds, read).toFixed(2);
