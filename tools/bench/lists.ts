import { FREQUENT_EVENTS } from "../../core/formats/frequent-events.ts";
import { createPartitions } from "../../indexer/evm/store/tables.ts";
import { tryBecomeWriter } from "../../indexer/shared/writer.ts";
import {
  createRandom,
  laterPages,
  measureBySize,
  type Questions,
  type Sized,
  type SizeTimes,
  syntheticChain,
  timesBySizeLines,
} from "./by-size.ts";
import { inSession, tidyUp } from "./database.ts";
import { type Load, postQuery } from "./load.ts";
import {
  blocksOf,
  contractAddress,
  fillLists,
  fillPrimaryLists,
  RARE_TOPIC,
  tokenAddress,
  walletAddress,
} from "./synthetic/filling-lists.ts";
import { BLOCK_SECONDS, FIRST_TIMESTAMP } from "./synthetic/filling-partitions.ts";
import type { Line } from "./table.ts";

/** Rows of a list of the small and of the large chain. 10,000,000 take about 20 minutes and 20 GB. */
const SIZES = [100_000, Number(process.env["MORAINE_BENCH_LIST_ROWS"] ?? 1_000_000)] as const;
const FIRST_CHAIN = 990_021;
const NETWORKS = [
  { name: "FUJI", id: 5 },
  { name: "MAINNET", id: 1 },
] as const;
/** Rows of a page. Every list has several pages on the small chain, too. */
const PAGE_SIZE = 10;
/** Addresses that are asked for in turns. */
const ADDRESSES = 25;
const PAGES = 10;

/** A chain and a primary network. */
interface Subject extends Sized {
  readonly chainId: number;
  readonly network: string;
  readonly rows: number;
  readonly wallets: readonly string[];
  readonly contracts: readonly string[];
  /** A token with a tenth of all transfers. */
  readonly token: string;
  readonly rareTopic: string;
}

type Ask = (subject: Subject) => (page: string) => string;

/** First topic of most logs. */
const TRANSFER_TOPIC = `0x${FREQUENT_EVENTS[0]?.[1]}`;
const PAGE_INFO = "pageInfo { hasNextPage endCursor }";
const TRANSACTION = `nodes { txHash blockNumber from { address } to { address } value txStatus } ${PAGE_INFO}`;
const TRANSFER = `nodes { txHash logIndex from { address } to { address } value erc20Token { symbol } } ${PAGE_INFO}`;
const LOG = `nodes { blockNumber logIndex address topic0 data } ${PAGE_INFO}`;
const MESSAGE = `nodes { messageId state } ${PAGE_INFO}`;
const VALIDATOR = `nodes { txHash nodeId weight endTimestamp } ${PAGE_INFO}`;

/** The lists: each returns the query of a page, whose arguments are `page`. */
const LISTS: Readonly<Record<string, Ask>> = {
  "transactions of an address": ofWallet((page) => `transactions(${page}) { ${TRANSACTION} }`),
  "failed transactions that an address sent": ofWallet(
    (page) => `transactions(${page}, filter: { direction: SENT, status: FAILED }) { ${TRANSACTION} }`,
  ),
  "transactions of an address, a tenth of the time": ofWallet(
    (page, { times }) => `transactions(${page}, filter: { ${times} }) { ${TRANSACTION} }`,
  ),
  "ERC-20 transfers that an address received": ofWallet(
    (page) => `erc20Transfers(${page}, filter: { direction: RECEIVED }) { ${TRANSFER} }`,
  ),
  "calls of a method of a contract": (subject) => {
    const contract = anyOf(subject.contracts, subject);
    return (page) =>
      `address(chainId: "${subject.chainId}", address: "${contract}") { list: methodCalls(method: "0x00000003", ${page}) { ${TRANSACTION} } }`;
  },
  "calls of a method that an address sent": ofWallet(
    (page) => `methodCalls(method: "0x00000003", ${page}, filter: { direction: SENT }) { ${TRANSACTION} }`,
  ),
  "logs of a contract": ofContract((page) => `logs(${page}) { ${LOG} }`),
  "logs of a contract, one of twenty, by topic": ofContract(
    (page, { rareTopic }) => `logs(${page}, filter: { topic0: "${rareTopic}" }) { ${LOG} }`,
  ),
  "logs of a contract by topic and argument": ({ chainId, contracts: [contract], wallets: [wallet = ""] }) => {
    const argument = `{ topic0: "${TRANSFER_TOPIC}", topic: TOPIC1, value: "0x${wallet.slice(2).padStart(64, "0")}" }`;
    return (page) =>
      `list: evmLogs(chainId: "${chainId}", ${page},
        filter: { address: "${contract}", indexedArgument: ${argument} }) { ${LOG} }`;
  },
  "ERC-20 transfers of a token": (subject) => (page) =>
    ofToken(subject, `transfers(${page}, filter: { ${timesOf(subject)} }) { ${TRANSFER} }`),
  "ERC-20 transfers of a token and an address": (subject) => {
    const wallet = anyOf(subject.wallets, subject);
    return (page) => ofToken(subject, `transfers(${page}, filter: { address: "${wallet}" }) { ${TRANSFER} }`);
  },
  "ERC-20 tokens by holders": ofChain(
    (page) =>
      `erc20Tokens(${page}, orderBy: { field: HOLDERS, direction: DESC }) { nodes { address symbol transferCount } ${PAGE_INFO} }`,
  ),
  "ERC-20 tokens by transfers": ofChain(
    (page) =>
      `erc20Tokens(${page}, orderBy: { field: TRANSFERS, direction: ASC }) { nodes { address symbol transferCount } ${PAGE_INFO} }`,
  ),
  "latest transactions of all chains":
    ({ chainId }) =>
    (page) =>
      `list: latestTransactions(${page}, filter: { chains: ["${chainId}"] }) { ${TRANSACTION} }`,
  "interchain messages of a chain that failed":
    ({ chainId }) =>
    (page) =>
      `list: icmMessages(${page}, filter: { chains: ["${chainId}"], direction: SENT, states: [FAILED] }) { ${MESSAGE} }`,
  "interchain messages of an address": (subject) => {
    const wallet = anyOf(subject.wallets, subject);
    return (page) =>
      `list: icmMessages(${page}, filter: { chains: ["${subject.chainId}"], address: "${wallet}", direction: SENT }) { ${MESSAGE} }`;
  },
  "P-Chain transactions of two types":
    ({ network }) =>
    (page) =>
      `list: primaryNetworkTransactions(network: ${network}, blockchainId: "p-chain", ${page},
      filter: { types: [CREATE_SUBNET_TX, CONVERT_SUBNET_TO_L1_TX] }) { nodes { txHash txType blockTimestamp } ${PAGE_INFO} }`,
  "P-Chain transactions of a type, a tenth of the time": (subject) => {
    const times = timesOf(subject);
    return (page) =>
      `list: primaryNetworkTransactions(network: ${subject.network}, blockchainId: "p-chain", ${page},
        filter: { types: [IMPORT_TX], ${times} }) { nodes { txHash txType blockTimestamp } ${PAGE_INFO} }`;
  },
  "active validators by weight":
    ({ network }) =>
    (page) =>
      `list: validators(network: ${network}, ${page}, filter: { status: ACTIVE }, orderBy: { field: WEIGHT }) { ${VALIDATOR} }`,
  "all validators by end time":
    ({ network }) =>
    (page) =>
      `list: validators(network: ${network}, ${page}, orderBy: { field: END_TIME, direction: ASC }) { ${VALIDATOR} }`,
};

function anyOf(addresses: readonly string[], { random }: Subject): string {
  return addresses[Math.floor(random() * addresses.length)] ?? "";
}

/** A tenth of all times, as conditions of a filter. */
function timesOf({ rows, random }: Subject): string {
  const seconds = blocksOf(rows) * BLOCK_SECONDS;
  const from = FIRST_TIMESTAMP + Math.floor(random() * 0.9 * seconds);
  return `fromTime: ${from}, toTime: ${from + Math.floor(seconds / 10)}`;
}

function ofWallet(list: (page: string, at: { readonly times: string }) => string): Ask {
  return (subject) => {
    const wallet = anyOf(subject.wallets, subject);
    const times = timesOf(subject);
    return (page) => `address(chainId: "${subject.chainId}", address: "${wallet}") { list: ${list(page, { times })} }`;
  };
}

function ofContract(list: (page: string, subject: Subject) => string): Ask {
  return (subject) => {
    const contract = anyOf(subject.contracts, subject);
    return (page) => `contract(chainId: "${subject.chainId}", address: "${contract}") { list: ${list(page, subject)} }`;
  };
}

function ofToken({ chainId, token }: Subject, list: string): string {
  return `erc20Token(chainId: "${chainId}", address: "${token}") { list: ${list} }`;
}

function ofChain(list: (page: string) => string): Ask {
  return ({ chainId }) =>
    (page) =>
      `chain(chainId: "${chainId}") { list: ${list(page)} }`;
}

/** Requests of first pages and of later ones, in turns. */
function questionOf(ask: Ask): Questions<Subject>[string] {
  const later = laterPages<Subject>(PAGES, (subject) => {
    const query = ask(subject);
    const request = (cursor: string, size: number): Load =>
      postQuery(`{ ${query(`first: ${size}, after: "${cursor}"`)} }`);
    return { request, pageSize: PAGE_SIZE, readPageSize: PAGE_SIZE };
  });
  return async (subject, target) => {
    const next = await later(subject, target);
    let sent = 0;
    return () => (sent++ % 2 === 0 ? postQuery(`{ ${ask(subject)(`first: ${PAGE_SIZE}`)} }`) : next());
  };
}

/** Measures lists on a small and on a large chain, and on two primary networks. */
export async function measureLists(url: string): Promise<SizeTimes[]> {
  const subjects: Subject[] = [];
  for (const [i, rows] of SIZES.entries())
    subjects.push(await fill(url, FIRST_CHAIN + i, NETWORKS[i] ?? NETWORKS[0], rows));
  await tidyUp(url);
  const evmChains = subjects.map(({ chainId }) => syntheticChain(chainId));
  const primaryNetworks = NETWORKS.map(({ name, id }) => ({
    network: name.toLowerCase(),
    networkId: id,
    nodeUrl: "http://127.0.0.1:1",
  }));
  const questions = Object.fromEntries(Object.entries(LISTS).map(([name, ask]) => [name, questionOf(ask)]));
  return measureBySize(url, { evmChains, primaryNetworks }, subjects, questions);
}

async function fill(
  url: string,
  chainId: number,
  { name, id }: (typeof NETWORKS)[number],
  rows: number,
): Promise<Subject> {
  await using writer = await tryBecomeWriter(url, String(chainId));
  if (!writer) throw new Error("another process writes the synthetic chain");
  await inSession(url, async (client) => {
    for (const statement of [...fillLists(chainId, rows), ...fillPrimaryLists(id, rows)]) await client.query(statement);
  });
  await createPartitions(writer, String(chainId));
  // The same numbers for each size, so that the sizes are compared by equal requests.
  return { chainId, network: name, rows, ...(await addressesOf(url)), random: createRandom(FIRST_CHAIN) };
}

async function addressesOf(url: string): Promise<Pick<Subject, "wallets" | "contracts" | "token" | "rareTopic">> {
  const hex = (sql: string) => `'0x' || encode(${sql}, 'hex')`;
  const some = (address: string) => `array(SELECT ${hex(address)} FROM generate_series(0, ${ADDRESSES - 1}) n)`;
  return inSession(url, async (client) => {
    const { rows } = await client.query(
      `SELECT ${some(walletAddress("n"))} AS wallets, ${some(contractAddress("n"))} AS contracts, ${hex(tokenAddress("0"))} AS token,
         ${hex(RARE_TOPIC)} AS "rareTopic"`,
    );
    return rows[0];
  });
}

export const listLines = (times: readonly SizeTimes[]): Line[] => timesBySizeLines("lists", SIZES, times);
