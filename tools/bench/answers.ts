import type { Child } from "./child.ts";
import { type Candidate, compare, type Figures } from "./compare.ts";
import { CHAIN_ID, type Subject } from "./database.ts";
import { createTarget, get, inTurns, type Load, postOperation, type Target } from "./load.ts";
import { type PostgresTime, startPostgresTime } from "./postgres-time.ts";
import type { ServerInput } from "./servers.ts";
import { startServer } from "./start-server.ts";
import { SELF_SENDER } from "./synthetic/filling.ts";

const SIZES = [10, 100];
const ATTEMPTS = 10;
/** Which requests are measured, by their names. Default: all. */
const MEASURED = new RegExp(process.env["MORAINE_BENCH_ANSWERS"] ?? "");

/** A request that both servers answer. */
interface Case {
  readonly name: string;
  /** Paths that are requested in turns. */
  readonly paths: readonly string[];
  /** Other requests to Moraine for the same rows, by name: one for each path. */
  readonly others: Readonly<Record<string, readonly Load[]>>;
}

/** The results for one request. The result of the hand-written server is the first. */
export interface Comparison {
  readonly name: string;
  readonly figures: readonly Figures[];
}

/** Measures Moraine and a hand-written server, each in its own process, over the same database and with the same requests. */
export async function compareAnswers(url: string, subject: Subject): Promise<Comparison[]> {
  const { evmChains, primaryNetworks } = subject;
  const start = (kind: ServerInput["kind"]) => startServer({ kind, url, evmChains, primaryNetworks });
  await using byHand = await start("hand-written");
  await using moraine = await start("moraine");
  await using byHandTarget = createTarget(byHand.url);
  await using moraineTarget = createTarget(moraine.url);
  await using postgres = await startPostgresTime(url);
  const comparisons: Comparison[] = [];
  for (const one of [...casesOf(subject), ...primaryCases(subject)].filter(({ name }) => MEASURED.test(name))) {
    await assertEqual(one, byHandTarget, moraineTarget);
    const candidates = candidatesOf(
      one,
      { server: byHand, target: byHandTarget },
      { server: moraine, target: moraineTarget },
      postgres,
    );
    comparisons.push({ name: one.name, figures: await compare(candidates) });
  }
  return comparisons;
}

function casesOf({ wallets, callers, token, made }: Subject): Case[] {
  const chain = `/v1/chains/${CHAIN_ID}`;
  const deployment = (contract: string) => `${chain}/contracts/${contract}/transactions:getDeployment`;
  const lists = SIZES.flatMap((pageSize) => {
    const transfers = wallets.map((one) => `${chain}/addresses/${one}/transactions:listErc20?pageSize=${pageSize}`);
    const internals = callers.map((one) => `${chain}/addresses/${one}/transactions:listInternals?pageSize=${pageSize}`);
    const others = {
      "Moraine /hosted": transfers.map((path) => get(`/hosted${path}`)),
      "Moraine POST /graphql": wallets.map((address) =>
        postOperation("list-erc20-transfers", { chainId: CHAIN_ID, address, pageSize }),
      ),
    };
    return [
      { name: `E9, ${pageSize} rows`, paths: transfers, others },
      { name: `E10, ${pageSize} rows`, paths: internals, others: {} },
      { name: `E14, ${pageSize} rows`, paths: [`${chain}/blocks?pageSize=${pageSize}`], others: {} },
    ];
  });
  return [
    ...lists,
    {
      name: "E9, 10 rows, wallet that sends to itself",
      paths: [`${chain}/addresses/${SELF_SENDER}/transactions:listErc20?pageSize=10`],
      others: {},
    },
    { name: "E6, by a transaction", paths: [deployment(token)], others: {} },
    { name: "E6, by a contract", paths: [deployment(made)], others: {} },
  ];
}

function primaryCases({ primary: { wallet, wallets, node, timestamp } }: Subject): Case[] {
  const network = "/v1/networks/fuji";
  const chain = `${network}/blockchains/p-chain`;
  const validators = `${network}/validators/${node}`;
  const paths = {
    "E5, 1 row": `${chain}/transactions?addresses=${wallet}&pageSize=1`,
    ...pages("E5", `${chain}/transactions`, `&addresses=${wallet}`),
    "E5, 100 rows of 200 addresses": wallets.map(
      (list) => `${chain}/transactions?addresses=${list.join()}&pageSize=100`,
    ),
    "E8, now": `${chain}/balances?addresses=${wallet}`,
    "E8, at a time": `${chain}/balances?addresses=${wallet}&blockTimestamp=${timestamp}`,
    ...pages("E12", validators),
    "E12, 10 active": `${validators}?validationStatus=active&pageSize=10`,
  };
  return Object.entries(paths).map(([name, paths]) => ({ name, paths: [paths].flat(), others: {} }));
}

function pages(id: string, path: string, others = ""): Record<string, string> {
  return Object.fromEntries(SIZES.map((size) => [`${id}, ${size} rows`, `${path}?pageSize=${size}${others}`]));
}

interface Served {
  readonly server: Child;
  readonly target: Target;
}

function candidatesOf({ paths, others }: Case, byHand: Served, moraine: Served, postgres: PostgresTime): Candidate[] {
  const databaseMs = postgres.ms;
  const load = inTurns(paths.map(get));
  return [
    { name: "hand-written", ...byHand, load, databaseMs },
    { name: "Moraine", ...moraine, load, databaseMs },
    ...Object.entries(others).map(([name, other]) => ({ name, ...moraine, load: inTurns(other), databaseMs })),
  ];
}

/** Throws if the servers return different bytes for a path, or if Moraine returns other rows for one of the other requests. */
async function assertEqual({ name, paths, others }: Case, byHand: Target, moraine: Target): Promise<void> {
  for (const path of paths) await assertEqualBytes(name, get(path), byHand, moraine);
  for (const [other, loads] of Object.entries(others))
    for (const [at, load] of loads.entries()) {
      const [expected, actual] = await Promise.all([moraine.ask(get(paths[at] ?? "")), moraine.ask(load)]);
      if (hashesIn(expected) !== hashesIn(actual)) throw new Error(`${name}: ${other} returns other rows`);
    }
}

/** The hashes of transactions and blocks in an answer, sorted: dialects name and order the fields differently. */
const hashesIn = (answer: string): string => (answer.match(/0x[0-9a-f]{64}/g) ?? []).sort().join();

/**
 * Throws if the servers return different bytes in all of ten attempts. Page tokens contain the current second, so the answers can
 * differ if the second changes.
 */
async function assertEqualBytes(name: string, load: Load, byHand: Target, moraine: Target): Promise<void> {
  let one = "";
  let two = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    [one, two] = await Promise.all([byHand.ask(load), moraine.ask(load)]);
    if (one === two) return;
  }
  throw new Error(`${name}: the answers differ:\n${one.slice(0, 2_000)}\n${two.slice(0, 2_000)}`);
}
