import { configSchema } from "../../core/config/config-schema.ts";
import { createPartitions } from "../../indexer/evm/store/tables.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import { inSession } from "./database.ts";
import { percentile } from "./figures.ts";
import {
  createTarget,
  get,
  type Load,
  type NextLoad,
  nextPageTokenIn,
  postQuery,
  type Requests,
  type Target,
  timesInTurns,
} from "./load.ts";
import { startServer } from "./start-server.ts";
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

/** Changes of balances on the small and on the large chain. 10,000,000 take about 10 minutes and 8 GB. */
const SIZES = [100_000, Number(process.env["MORAINE_BENCH_BALANCE_CHANGES"] ?? 1_000_000)] as const;
const FIRST_CHAIN = 990_011;
/** With fewer requests, a few garbage collections would decide the 99th percentile. */
const REQUESTS: Requests = { warmUp: 1_000, measured: 3_000 };
/** Lists that are read to get the page tokens of later pages, and the most pages of each. */
const LISTS = 10;
const PAGES = 20;

/** Times of the requests of a list, in milliseconds, for each size of a chain. */
export interface HolderTimes {
  readonly name: string;
  readonly p50: readonly number[];
  readonly p99: readonly number[];
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

/** Returns a function that makes requests with random parameters. */
type Question = (chain: Chain, target: Target) => NextLoad | Promise<NextLoad>;

const QUESTIONS: Readonly<Record<string, Question>> = {
  "E20, any time": (chain) => () => get(balancesPath(chain, threshold(chain))),
  "E20, any time, later pages": laterPages((chain) => balances(balancesPath(chain, threshold(chain)))),
  "E20, a tenth of the time": (chain) => () => get(balancesPath(chain, threshold(chain), frame(chain))),
  "E20, a tenth of the time, later pages": laterPages((chain) =>
    balances(balancesPath(chain, threshold(chain), frame(chain))),
  ),
  "holders now": (chain) => () => holders(chain, "").request("", 100),
  "holders now, later pages": laterPages((chain) => holders(chain, "")),
  "holders after a block": (chain) => () => holders(chain, blockNumber(chain)).request("", 100),
  "holders after a block, by address": (chain) => () => holders(chain, blockNumber(chain), BY_ADDRESS).request("", 100),
  "holders after a block, by address, later pages": laterPages((chain) =>
    holders(chain, blockNumber(chain), BY_ADDRESS),
  ),
  "tokens of an address": (chain) => () => ofAddress(chain, "erc20Balances", "balance token { symbol }"),
  "NFTs of an address": (chain) => () => ofAddress(chain, "nfts", "balance token { ... on Erc721Token { tokenId } }"),
};

const BY_ADDRESS = ", orderBy: ADDRESS";

/** A list, whose requests are made of a page token and a page size. */
interface List {
  request(pageToken: string, pageSize: number): Load;
  /** Size of the measured pages. */
  readonly pageSize: number;
  /** The largest size of a page. */
  readonly maxPageSize: number;
}

const balancesPath = ({ chainId, token }: Chain, atLeast: string, times = ""): string =>
  `/v2/chains/${chainId}/contracts/${token}/balances?threshold=${atLeast}${times}`;

const balances = (path: string): List => ({
  request: (pageToken, pageSize) =>
    get(`${path}&pageSize=${pageSize}${pageToken === "" ? "" : `&pageToken=${pageToken}`}`),
  pageSize: 1_000,
  maxPageSize: 5_000,
});

const holders = ({ chainId, token }: Chain, block: string, order = ""): List => ({
  request: (pageToken, pageSize) =>
    postQuery(`{ erc20Token(chainId: "${chainId}", address: "${token}") {
      holders(first: ${pageSize}, after: "${pageToken}"${block}${order}) { pageInfo { hasNextPage endCursor } holders: nodes { address balance } } } }`),
  pageSize: 100,
  maxPageSize: 1_000,
});

/** All magnitudes are equally frequent, as in the balances. */
const threshold = ({ random }: Chain): string =>
  `${1 + Math.floor(random() * 9)}${"0".repeat(Math.floor(random() * 20))}`;

const blockNumber = ({ changes, random }: Chain): string =>
  `, at: { block: ${Math.floor((0.1 + 0.9 * random()) * blocksOf(changes))} }`;

function frame({ changes, random }: Chain): string {
  const seconds = blocksOf(changes) * BLOCK_SECONDS;
  const start = FIRST_TIMESTAMP + Math.floor(random() * 0.9 * seconds);
  return `&startTimestamp=${start}&endTimestamp=${start + Math.floor(seconds / 10)}`;
}

const ofAddress = ({ chainId, holders, random }: Chain, list: string, fields: string): Load =>
  postQuery(`{ address(chainId: "${chainId}", address: "${holders[Math.floor(random() * holders.length)]}") {
    ${list}(first: 100) { pageInfo { hasNextPage endCursor } balances: nodes { ${fields} } } } }`);

/**
 * Reads lists in pages that reach the end of those of the small chain, and as far as possible in those of the large one. Measures
 * pages that begin after any of these pages.
 */
function laterPages(listOf: (chain: Chain) => List): Question {
  return async (chain, target) => {
    const requests: Load[] = [];
    const addresses = Math.ceil(holdersOf(chain.changes) / PAGES);
    for (let read = 0; read < LISTS; read++) {
      const list = listOf(chain);
      for (let page = 0, token: string | undefined = ""; token !== undefined && page < PAGES; page++) {
        token = nextPageTokenIn(await target.ask(list.request(token, Math.min(addresses, list.maxPageSize))));
        if (token !== undefined) requests.push(list.request(token, list.pageSize));
      }
    }
    return () => requests[Math.floor(chain.random() * requests.length)] as Load;
  };
}

/** Measures the lists of holders on a small and on a large chain. */
export async function measureHolders(url: string): Promise<HolderTimes[]> {
  const chains: Chain[] = [];
  for (const [i, changes] of SIZES.entries()) chains.push(await fill(url, FIRST_CHAIN + i, changes));
  // Otherwise, the server would write what the filling changed while requests are measured.
  await inSession(url, (client) => client.query("CHECKPOINT"));
  return measureChains(url, chains);
}

async function measureChains(url: string, chains: readonly Chain[]): Promise<HolderTimes[]> {
  const { evmChains } = configSchema.parse({
    evmChains: chains.map(({ chainId }) => ({
      chainId,
      network: "fuji",
      nodeUrl: "http://127.0.0.1:1",
      chainName: "Synthetic",
    })),
  });
  await using server = await startServer({ kind: "moraine", url, evmChains });
  await using target = createTarget(server.url);
  const times: HolderTimes[] = [];
  for (const [name, question] of Object.entries(QUESTIONS)) {
    const kinds: NextLoad[] = [];
    for (const chain of chains) kinds.push(await question(chain, target));
    const measured = await timesInTurns(target, kinds, REQUESTS);
    times.push({
      name,
      p50: measured.map((one) => percentile(one, 0.5)),
      p99: measured.map((one) => percentile(one, 0.99)),
    });
  }
  return times;
}

async function fill(url: string, chainId: number, changes: number): Promise<Chain> {
  await using writer = await tryBecomeWriter(url, String(chainId));
  if (!writer) throw new Error("another process writes the synthetic chain");
  await inSession(url, async (client) => {
    for (const statement of fillHolders(chainId, changes)) await client.query(statement);
  });
  await createPartitions(writer, String(chainId));
  await inSession(url, (client) =>
    client.query("VACUUM ANALYZE erc20_balances, erc20_holders, nft_holdings, erc20_tokens, evm_blocks"),
  );
  // The same numbers for each size, so that the sizes are compared by equal requests.
  return { chainId, changes, ...(await addressesOf(url, changes)), random: createRandom(FIRST_CHAIN) };
}

function addressesOf(url: string, changes: number): Promise<Pick<Chain, "token" | "holders">> {
  const hex = (sql: string) => `'0x' || encode(${sql}, 'hex')`;
  return inSession(url, async (client) => {
    const { rows } = await client.query<{ token: string; holders: string[] }>(
      `SELECT ${hex(tokenAddress("1"))} AS token, array(
         SELECT ${hex(holderAddress(`floor(${holdersOf(changes)} * (n * n / 10000.0))`))} FROM generate_series(0, 99) n) AS holders`,
    );
    const { token = "", holders = [] } = rows[0] ?? {};
    return { token, holders };
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
  const sizes = SIZES.map((size) => size.toLocaleString("en"));
  const ratio = ([small = Number.NaN, large = Number.NaN]: readonly number[]): string => (large / small).toFixed(2);
  const figures = (one: readonly number[]) => [...one.map((ms) => ms.toFixed(1)), ratio(one)];
  return [
    ["holders", "", ...["p50", "p99"].flatMap((name) => [...sizes.map((size) => `${name} ms, ${size}`), "ratio"])],
    ...times.map(({ name, p50, p99 }) => [name, "", ...figures(p50), ...figures(p99)]),
  ];
}
