import { createPartitions } from "../../indexer/evm/store/tables.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import {
  createRandom,
  type List,
  laterPages,
  measureBySize,
  type Questions,
  type Sized,
  type SizeTimes,
  syntheticChain,
  timesBySizeLines,
} from "./by-size.ts";
import { inSession } from "./database.ts";
import { get, type Load, postQuery } from "./load.ts";
import { blocksOf, fillHolders, holderAddress, holdersOf, tokenAddress } from "./synthetic/filling-holders.ts";
import { BLOCK_SECONDS, FIRST_TIMESTAMP } from "./synthetic/filling-partitions.ts";
import type { Line } from "./table.ts";

/** Changes of balances on the small and on the large chain. 10,000,000 take about 10 minutes and 8 GB. */
const SIZES = [100_000, Number(process.env["MORAINE_BENCH_BALANCE_CHANGES"] ?? 1_000_000)] as const;
const FIRST_CHAIN = 990_011;
/** The most pages that are read to get the page tokens of later pages. */
const PAGES = 20;

interface Chain extends Sized {
  readonly chainId: number;
  readonly changes: number;
  /** The token with half of all changes. */
  readonly token: string;
  /** Some addresses that hold tokens. */
  readonly holders: readonly string[];
}

const QUESTIONS: Questions<Chain> = {
  "E20, any time": (chain) => () => get(balancesPath(chain, threshold(chain))),
  "E20, any time, later pages": laterPages(PAGES, (chain) => balances(chain, balancesPath(chain, threshold(chain)))),
  "E20, a tenth of the time": (chain) => () => get(balancesPath(chain, threshold(chain), frame(chain))),
  "E20, a tenth of the time, later pages": laterPages(PAGES, (chain) =>
    balances(chain, balancesPath(chain, threshold(chain), frame(chain))),
  ),
  "holders now": (chain) => () => holders(chain, "").request("", 100),
  "holders now, later pages": laterPages(PAGES, (chain) => holders(chain, "")),
  "holders after a block": (chain) => () => holders(chain, blockNumber(chain)).request("", 100),
  "holders after a block, by address": (chain) => () => holders(chain, blockNumber(chain), BY_ADDRESS).request("", 100),
  "holders after a block, by address, later pages": laterPages(PAGES, (chain) =>
    holders(chain, blockNumber(chain), BY_ADDRESS),
  ),
  "tokens of an address": (chain) => () => ofAddress(chain, "erc20Balances", "balance token { symbol }"),
  "NFTs of an address": (chain) => () => ofAddress(chain, "nfts", "balance token { ... on Erc721Token { tokenId } }"),
};

const BY_ADDRESS = ", orderBy: ADDRESS";

const balancesPath = ({ chainId, token }: Chain, atLeast: string, times = ""): string =>
  `/v2/chains/${chainId}/contracts/${token}/balances?threshold=${atLeast}${times}`;

const balances = (chain: Chain, path: string): List => ({
  request: (pageToken, pageSize) =>
    get(`${path}&pageSize=${pageSize}${pageToken === "" ? "" : `&pageToken=${pageToken}`}`),
  pageSize: 1_000,
  // The pages reach the end of the lists of the small chain.
  readPageSize: Math.min(Math.ceil(holdersOf(chain.changes) / PAGES), 5_000),
});

const holders = ({ chainId, token, changes }: Chain, block: string, order = ""): List => ({
  request: (pageToken, pageSize) =>
    postQuery(`{ erc20Token(chainId: "${chainId}", address: "${token}") {
      holders(first: ${pageSize}, after: "${pageToken}"${block}${order}) { pageInfo { hasNextPage endCursor } holders: nodes { address balance } } } }`),
  pageSize: 100,
  readPageSize: Math.min(Math.ceil(holdersOf(changes) / PAGES), 1_000),
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

/** Measures the lists of holders on a small and on a large chain. */
export async function measureHolders(url: string): Promise<SizeTimes[]> {
  const chains: Chain[] = [];
  for (const [i, changes] of SIZES.entries()) chains.push(await fill(url, FIRST_CHAIN + i, changes));
  // Otherwise, the server would write what the filling changed while requests are measured.
  await inSession(url, (client) => client.query("CHECKPOINT"));
  const evmChains = chains.map(({ chainId }) => syntheticChain(chainId));
  return measureBySize(url, { evmChains }, chains, QUESTIONS);
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

export const holderLines = (times: readonly SizeTimes[]): Line[] => timesBySizeLines("holders", SIZES, times);
