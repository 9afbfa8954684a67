import { enterControlGroup, possibleGrouping } from "./control-group.ts";
import { CHAIN_ID, inSession, type Subject, tidyUp } from "./database.ts";
import { ms, percentile } from "./figures.ts";
import { createTarget, get, timesAtRate } from "./load.ts";
import { postgresProcesses, postgresServer } from "./processor-time.ts";
import type { IndexerPlace } from "./servers.ts";
import { startServer } from "./start-server.ts";
import { startNode } from "./synthetic/start-node.ts";
import type { Line } from "./table.ts";

/** More than are indexed while requests are measured. */
const BLOCKS = 12_000;
/** With fewer requests, the 99th percentile would be the time of the few slowest ones, which other work on the machine decides. */
const RATE = { requestsPerSecond: 100, seconds: 15 } as const;
const WARM_UP = { ...RATE, seconds: 10 } as const;
/** Each chain is written once. */
const FIRST_CHAIN_ID = 980_000;
/** Each place is measured several times, in turns, because the speed of a shared machine changes. */
const ROUNDS = 3;

/** Where the indexer runs, and with which priority. */
interface Way {
  readonly name: string;
  readonly place: IndexerPlace;
  /** Settings of the indexer, as in the configuration file. */
  readonly indexing: object;
}

/** Only the last is what `npm start` does. The first is so different that one round shows it. */
const WAYS: readonly (Way & { readonly rounds: number })[] = [
  { name: "in the API's process", place: "same process", indexing: {}, rounds: 1 },
  { name: "own process, the same priority", place: "own process", indexing: { niceness: 0 }, rounds: ROUNDS },
  { name: "own process, as `npm start` runs it", place: "own process", indexing: {}, rounds: ROUNDS },
];

/** The median and the 99th percentile of the times of requests. */
interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Round {
  /** Requests for a page of E9 without indexing. */
  readonly idle: Times;
  /** The same while the indexer writes a chain. */
  readonly beside: Times;
  readonly blocksPerSecond: number;
}

export interface CatchingUpFigures {
  readonly name: string;
  readonly rounds: readonly Round[];
}

/** Sends requests for indexed rows while the indexer catches up with the node of another chain, on the same cores. */
export async function measureCatchingUp(url: string, subject: Subject): Promise<CatchingUpFigures[]> {
  const { canChoose, description } = await possibleGrouping();
  console.log(description);
  const groups = canChoose ? [true, false] : [false];
  const figures = groups.flatMap((isGrouped) =>
    WAYS.map((way) => {
      const name = canChoose ? `${way.name}, ${isGrouped ? "in a" : "no"} control group` : way.name;
      return { name, way, isGrouped, rounds: [] as Round[] };
    }),
  );
  let chainId = FIRST_CHAIN_ID;
  for (let round = 0; round < ROUNDS; round++)
    for (const { way, isGrouped, rounds } of figures)
      if (round < way.rounds) rounds.push(await measure(url, subject, { way, isGrouped, chainId: chainId++ }));
  return figures;
}

interface Conditions {
  readonly way: Way;
  /** True if all processes are put into a CPU control group. */
  readonly isGrouped: boolean;
  readonly chainId: number;
}

async function measure(
  url: string,
  { evmChains, address }: Subject,
  { way, isGrouped, chainId }: Conditions,
): Promise<Round> {
  const processes = postgresProcesses(await postgresServer(url));
  await using _group = isGrouped ? enterControlGroup(processes.map(({ pid }) => pid)) : null;
  await tidyUp(url);
  await using node = await startNode({ chainId, blocks: BLOCKS });
  const chain = { chainId, network: "fuji", nodeUrl: node.url, chainName: "Synthetic", traces: "on" };
  const { place, indexing } = way;
  await using server = await startServer({
    kind: "moraine",
    url,
    evmChains,
    indexed: { chains: [chain], place, indexing },
  });
  await using target = createTarget(server.url);
  const page = get(`/v1/chains/${CHAIN_ID}/addresses/${address}/transactions:listErc20`);
  await timesAtRate(target, page, WARM_UP);
  const idle = timesOf(await timesAtRate(target, page, RATE));
  await server.ask("startIndexing");
  while ((await indexedBlocks(url, chainId)) === 0) {}
  const blocksBefore = await indexedBlocks(url, chainId);
  const startedAt = performance.now();
  const beside = timesOf(await timesAtRate(target, page, RATE));
  const blocks = (await indexedBlocks(url, chainId)) - blocksBefore;
  const seconds = (performance.now() - startedAt) / 1_000;
  if (blocks + blocksBefore === BLOCKS) throw new Error("the chain has too few blocks for this measurement");
  return { idle, beside, blocksPerSecond: blocks / seconds };
}

const timesOf = (times: readonly number[]): Times => ({
  p50Ms: percentile(times, 0.5),
  p99Ms: percentile(times, 0.99),
});

function indexedBlocks(url: string, chainId: number): Promise<number> {
  const text = "SELECT block_number + 1 AS blocks FROM chain_heads WHERE chain_id = $1";
  return inSession(url, async (client) => {
    const { rows } = await client.query<{ blocks: string }>(text, [chainId]);
    return Number(rows[0]?.blocks ?? 0);
  });
}

/** Each figure is the median of all rounds. */
export function catchingUpLines(figures: readonly CatchingUpFigures[]): Line[] {
  const header = [
    "E9 while a chain catches up",
    "",
    "p50 idle",
    "p99 idle",
    "p50 beside",
    "p99 beside",
    "ratio",
    "blocks/s",
  ];
  const rows = figures.map(({ name, rounds }) => {
    const median = (read: (round: Round) => number) => percentile(rounds.map(read), 0.5);
    return [
      name,
      "",
      ms(median(({ idle }) => idle.p50Ms)),
      ms(median(({ idle }) => idle.p99Ms)),
      ms(median(({ beside }) => beside.p50Ms)),
      ms(median(({ beside }) => beside.p99Ms)),
      median(({ idle, beside }) => beside.p99Ms / idle.p99Ms).toFixed(2),
      Math.round(median(({ blocksPerSecond }) => blocksPerSecond)).toLocaleString("en"),
    ];
  });
  return [header, ...rows];
}
