import { configSchema } from "../core/config-schema.ts";
import { compareHoldings } from "../indexer/evm/commands/gaps/compare-holdings.ts";
import { createPartitions } from "../indexer/evm/store/tables.ts";
import { tryBecomeWriter } from "../indexer/shared/writer.ts";
import { startChild } from "./child.ts";
import { inSession } from "./database.ts";
import { createTarget, type Load, type Target } from "./load.ts";
import type { ServerInput } from "./servers.ts";
import {
  BLOCK_SECONDS,
  blocksOf,
  FIRST_TIMESTAMP,
  fillHolders,
  holderAddress,
  holdersOf,
  tokenAddress,
} from "./synthetic/filling-holders.ts";
import type { Line } from "./table.ts";

/** Changes of balances on the small and on the large chain. 10,000,000 take some minutes and 5 GB. */
const SIZES = [100_000, Number(process.env["MORAINE_BENCH_BALANCE_CHANGES"] ?? 1_000_000)] as const;
const FIRST_CHAIN = 990_011;
const REQUESTS = 50;
const LATER_PAGE = 3;

/** The longest time of some requests of a list, for each size of a chain. */
export interface HolderTimes {
  readonly name: string;
  readonly slowestMs: readonly number[];
}

interface Chain {
  readonly chainId: number;
  readonly changes: number;
  /** The token with half of all changes. */
  readonly token: string;
  /** Makes random numbers from 0 to 1, always the same ones. */
  readonly random: () => number;
  /** Some addresses that hold tokens. */
  readonly holders: readonly string[];
}

/** Makes a request with random parameters. Pages after the first need requests that are not measured. */
type Question = (chain: Chain, target: Target) => Load | Promise<Load>;

const QUESTIONS: Readonly<Record<string, Question>> = {
  "E20, any time": (chain) => get(balancesPath(chain, threshold(chain))),
  "E20, any time, a later page": laterPage((chain) => balancesPath(chain, "1")),
  "E20, a tenth of the time": (chain) => get(balancesPath(chain, threshold(chain), frame(chain))),
  "E20, a tenth of the time, a later page": laterPage((chain) => balancesPath(chain, "1", frame(chain))),
  "holders of a token": (chain) => graph(holdersQuery(chain)),
  "holders of a token, a later page": async (chain, target) => {
    let pageToken = "";
    for (let page = 1; page < LATER_PAGE; page++) {
      const answer = JSON.parse(await target.ask(graph(holdersQuery(chain, pageToken)))) as HoldersAnswer;
      pageToken = answer.data.erc20Token.holders.nextPageToken;
    }
    return graph(holdersQuery(chain, pageToken));
  },
  "tokens of an address": ({ chainId, holders, random }) =>
    graph(`{ address(chainId: "${chainId}", address: "${holders[Math.floor(random() * holders.length)]}") {
      erc20Balances(pageSize: 100) { nextPageToken balances { balance token { symbol } } } } }`),
};

interface HoldersAnswer {
  readonly data: { readonly erc20Token: { readonly holders: { readonly nextPageToken: string } } };
}

const get = (path: string): Load => ({ method: "GET", path });
const graph = (query: string): Load => ({ method: "POST", path: "/graphql", body: JSON.stringify({ query }) });

const balancesPath = ({ chainId, token }: Chain, atLeast: string, times = ""): string =>
  `/v2/chains/${chainId}/contracts/${token}/balances?threshold=${atLeast}&pageSize=1000${times}`;

/** All magnitudes are equally frequent, as in the balances. */
const threshold = ({ random }: Chain): string =>
  `${1 + Math.floor(random() * 9)}${"0".repeat(Math.floor(random() * 20))}`;

function frame({ changes, random }: Chain): string {
  const seconds = blocksOf(changes) * BLOCK_SECONDS;
  const start = FIRST_TIMESTAMP + Math.floor(random() * 0.9 * seconds);
  return `&startTimestamp=${start}&endTimestamp=${start + Math.floor(seconds / 10)}`;
}

function laterPage(pathOf: (chain: Chain) => string): Question {
  return async (chain, target) => {
    const first = pathOf(chain);
    let path = first;
    for (let page = 1; page < LATER_PAGE; page++) {
      const { nextPageToken } = JSON.parse(await target.ask(get(path))) as { nextPageToken?: string };
      if (nextPageToken !== undefined) path = `${first}&pageToken=${nextPageToken}`;
    }
    return get(path);
  };
}

const holdersQuery = ({ chainId, token }: Chain, pageToken = ""): string =>
  `{ erc20Token(chainId: "${chainId}", address: "${token}") {
    holders(pageSize: 100, pageToken: "${pageToken}") { nextPageToken holders { address balance } } } }`;

/** Measures the lists of holders on a small and on a large chain. */
export async function measureHolders(url: string): Promise<HolderTimes[]> {
  const chains: Chain[] = [];
  for (const [i, changes] of SIZES.entries()) chains.push(await fill(url, FIRST_CHAIN + i, changes));
  const { evmChains } = configSchema.parse({
    evmChains: chains.map(({ chainId }) => ({
      chainId,
      network: "fuji",
      nodeUrl: "http://127.0.0.1:1",
      chainName: "Synthetic",
    })),
  });
  await using server = await startChild("servers.ts", { kind: "moraine", url, evmChains } satisfies ServerInput);
  await using target = createTarget(server.url);
  const times: HolderTimes[] = [];
  for (const [name, question] of Object.entries(QUESTIONS))
    times.push({ name, slowestMs: await slowest(target, chains, question) });
  return times;
}

/** Sends the requests of the chains in turn, so that both have the same conditions. */
async function slowest(target: Target, chains: readonly Chain[], question: Question): Promise<number[]> {
  const times = chains.map((): number[] => []);
  for (let request = 0; request < REQUESTS; request++)
    for (const [i, chain] of chains.entries()) {
      const load = await question(chain, target);
      const startedAt = performance.now();
      const answer = await target.ask(load);
      times[i]?.push(performance.now() - startedAt);
      if (answer.startsWith('{"errors"')) throw new Error(answer.slice(0, 200));
    }
  return times.map((one) => Math.max(...one));
}

async function fill(url: string, chainId: number, changes: number): Promise<Chain> {
  await using writer = await tryBecomeWriter(url, String(chainId));
  if (!writer) throw new Error("another process writes the synthetic chain");
  await createPartitions(writer, String(chainId));
  await writer.transaction(async (session) => {
    for (const statement of fillHolders(chainId, changes)) await session.query(statement);
    await compareHoldings(session, String(chainId), true);
  });
  return inSession(url, async (client) => {
    await client.query("VACUUM ANALYZE erc20_balances, erc20_holders, erc20_peaks, erc20_supplies, evm_blocks");
    const hex = (sql: string) => `'0x' || encode(${sql}, 'hex')`;
    const { rows } = await client.query<{ token: string; holders: string[] }>(
      `SELECT ${hex(tokenAddress("1"))} AS token, array(
         SELECT ${hex(holderAddress(`floor(${holdersOf(changes)} * n * n / 10000.0)`))} FROM generate_series(0, 99) n) AS holders`,
    );
    const { token = "", holders = [] } = rows[0] ?? {};
    return { chainId, changes, token, holders, random: createRandom(chainId) };
  });
}

/** A linear congruential generator (Numerical Recipes). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

export function holderLines(times: readonly HolderTimes[]): Line[] {
  const sizes = SIZES.map((size) => `slowest ms, ${size.toLocaleString("en")} changes`);
  return [
    ["holders", "", ...sizes, "ratio"],
    ...times.map(({ name, slowestMs }) => {
      const [small = Number.NaN, large = Number.NaN] = slowestMs;
      return [name, "", small.toFixed(1), large.toFixed(1), (large / small).toFixed(2)];
    }),
  ];
}
