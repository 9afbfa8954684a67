import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "./child.ts";
import { CHAIN_ID, type Subject } from "./database.ts";
import { floodWithDocuments, SOCKETS } from "./document-flood.ts";
import { megabytes, ms, percentile } from "./figures.ts";
import { get, type Load, postOperation, postQuery } from "./load.ts";
import { createSockets } from "./sockets.ts";
import { startServer } from "./start-server.ts";
import type { Line } from "./table.ts";

/** How long each kind of overload lasts. The capacity is measured half as long before it and after it. */
const PHASE_MS = Number(process.env["MORAINE_BENCH_OVERLOAD_SECONDS"] ?? 20) * 1_000;
/** Heavy requests are sent this long before the capacity is measured, which would otherwise be that of code that is not compiled yet. */
const WARM_UP_MS = 5_000;
/** Heavy requests that are sent at the same time to measure the capacity: as many as have places by default. One always waits. */
const AT_CAPACITY = 3;
/** Clients of the closed loop, each of which sends its next request when the last one is answered. */
const CLIENTS = 200;
/** Requests of the open loop, in multiples of the capacity. */
const OVERLOAD = 10;
const LIGHT_INTERVAL_MS = 50;
const MEMORY_INTERVAL_MS = 500;
const AFTER_MS = 5_000;
const LIGHT = get(`/v1/chains/${CHAIN_ID}`);

export interface OverloadFigures {
  readonly name: string;
  /** Heavy requests that were answered with 200, or documents that were answered, each second. */
  readonly goodput: number;
  /** The same in percent of the capacity, which is the mean of those before and after; 100 for the capacity itself. Null for documents. */
  readonly share: number | null;
  readonly refusedPerSecond: number;
  /** Times of light requests meanwhile, in milliseconds. */
  readonly lightP50: number;
  readonly lightP99: number;
  /** Longest time of a light request that begins five seconds or later after the end. */
  readonly lightAfter: number;
  /** Time of a heavy request that begins five seconds after the end. */
  readonly heavyAfter: number;
  readonly peakBytes: number;
}

/**
 * Sends heavy requests in three ways, after a warm-up: at the capacity, from 200 clients at the same time, and at ten times the capacity. Sends
 * light requests beside them. The capacity is measured before and after each kind of overload, because the speed of a machine that others
 * share changes within minutes. In the end, sends operations with a different document each over WebSockets.
 */
export async function measureOverload(url: string, subject: Subject): Promise<OverloadFigures[]> {
  const { evmChains, primaryNetworks } = subject;
  await using server = await startServer({ kind: "moraine", url, evmChains, primaryNetworks });
  const heavy = heavyRequests(subject);
  await warmUp(server.url, heavy);
  const measure = (name: string, pattern: Pattern) => during(server, name, heavy, pattern);
  const atCapacity = () => measure("at capacity", (send) => closedLoop(send, AT_CAPACITY, PHASE_MS / 2));
  const before = await atCapacity();
  const clients = await measure(`${CLIENTS} clients`, (send) => closedLoop(send, CLIENTS, PHASE_MS));
  const between = await atCapacity();
  const perSecond = between.goodput * OVERLOAD;
  const open = await measure(`${perSecond.toFixed(0)} requests/s`, (send) => openLoop(send, perSecond, PHASE_MS));
  const after = await atCapacity();
  const documents = await measure(`documents, ${SOCKETS} sockets`, () => floodWithDocuments(server.url, PHASE_MS));
  return [
    before,
    withShare(clients, before, between),
    between,
    withShare(open, between, after),
    after,
    { ...documents, share: null },
  ];
}

function withShare(measured: OverloadFigures, before: OverloadFigures, after: OverloadFigures): OverloadFigures {
  return { ...measured, share: (200 * measured.goodput) / (before.goodput + after.goodput) };
}

/** Few values of each transaction, but all lists of its outputs. */
const OUTPUTS_OF_TRANSACTIONS = `query ($addresses: [String!]) {
  primaryNetworkTransactions(network: FUJI, blockchainId: "p-chain", first: 100, filter: { addresses: $addresses }) {
    transactions: nodes { txHash txType consumedUtxos { utxoId amount addresses } emittedUtxos { utxoId amount addresses } }
  }
}`;

/** E5, E8 with one address a hundred times, E5 in GraphQL, and few fields of the same transactions with their outputs, in turns. */
function heavyRequests({ primary: { wallet } }: Subject): Load[] {
  const chain = "/v1/networks/fuji/blockchains/p-chain";
  const addresses = Array(100).fill(wallet).join(",");
  const variables = { network: "FUJI", blockchainId: "p-chain", addresses: [wallet], pageSize: 100 };
  return [
    get(`${chain}/transactions?addresses=${wallet}&pageSize=100`),
    get(`${chain}/balances?addresses=${addresses}`),
    postOperation("list-primary-transactions", variables),
    postQuery(OUTPUTS_OF_TRANSACTIONS, { addresses: [wallet] }),
  ];
}

async function warmUp(url: string, heavy: readonly Load[]): Promise<void> {
  await using sockets = createSockets(url);
  let sent = 0;
  const send = async () => (await sockets.statusOf(heavy[sent++ % heavy.length] as Load)) === 200;
  await closedLoop(send, AT_CAPACITY, WARM_UP_MS);
}

/** Sends one heavy request. Returns true if it was answered with 200. */
type Send = () => Promise<boolean>;
/** Sends requests for some time. Returns the number of those that were answered without `send`. */
type Pattern = (send: Send) => Promise<number>;

async function closedLoop(send: Send, clients: number, ms: number): Promise<number> {
  const endsAt = performance.now() + ms;
  const client = async () => {
    while (performance.now() < endsAt) await send();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return 0;
}

async function openLoop(send: Send, perSecond: number, ms: number): Promise<number> {
  const startedAt = performance.now();
  const all: Promise<boolean>[] = [];
  while (performance.now() < startedAt + ms) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond);
    while (all.length < due) all.push(send());
    await sleep(5);
  }
  await Promise.all(all);
  return 0;
}

async function during(server: Child, name: string, heavy: readonly Load[], pattern: Pattern): Promise<OverloadFigures> {
  await using sockets = createSockets(server.url);
  let sent = 0;
  let good = 0;
  let refused = 0;
  const send = async () => {
    const load = heavy[sent++ % heavy.length] as Load;
    const status = await sockets.statusOf(load);
    if (status === 200) good++;
    else if (status === 503) refused++;
    else throw new Error(`${load.method} ${load.path} was answered ${status}`);
    return status === 200;
  };
  const watch = watchServer(server);
  const light = sendLight(server.url);
  const startedAt = performance.now();
  const others = await pattern(send);
  good += others;
  const seconds = (performance.now() - startedAt) / 1_000;
  const times = await light.end();
  const [goodput, refusedPerSecond] = [good / seconds, refused / seconds];
  await sleep(AFTER_MS);
  const after = sendLight(server.url);
  const heavyStartedAt = performance.now();
  await sockets.statusOf(heavy[0] as Load);
  const heavyAfter = performance.now() - heavyStartedAt;
  await sleep(1_000);
  const timesAfter = await after.end();
  return {
    name,
    goodput,
    share: 100,
    refusedPerSecond,
    lightP50: percentile(times, 0.5),
    lightP99: percentile(times, 0.99),
    lightAfter: percentile(timesAfter, 1),
    heavyAfter,
    peakBytes: await watch.end(),
  };
}

/** Sends a light request every 50 ms, whether the last one is answered or not. */
function sendLight(url: string) {
  const sockets = createSockets(url);
  const times: Promise<number>[] = [];
  const one = async () => {
    const startedAt = performance.now();
    const status = await sockets.statusOf(LIGHT);
    if (status !== 200) throw new Error(`a light request was answered ${status}`);
    return performance.now() - startedAt;
  };
  const timer = setInterval(() => times.push(one()), LIGHT_INTERVAL_MS);
  return {
    async end(): Promise<number[]> {
      clearInterval(timer);
      const all = await Promise.all(times);
      await sockets[Symbol.asyncDispose]();
      return all;
    },
  };
}

/** Observes the memory of a server. */
function watchServer(server: Child) {
  let peak = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peak = Math.max(peak, await server.memoryBytes());
      await sleep(MEMORY_INTERVAL_MS);
    }
  })();
  return {
    async end(): Promise<number> {
      isOver = true;
      await watching;
      return peak;
    },
  };
}

export function overloadLines(measured: readonly OverloadFigures[]): Line[] {
  const header = [
    "overload (E5, E8, GraphQL, new documents)",
    "",
    "answered/s",
    "% of capacity",
    "refused/s",
    "light p50",
    "p99",
    "5 s later",
    "heavy 5 s later",
    "memory",
  ];
  const rows = measured.map((one, at) => [
    at === 0 ? "heavy requests" : "",
    one.name,
    one.goodput.toFixed(1),
    one.share?.toFixed(0) ?? "",
    one.refusedPerSecond.toFixed(0),
    ms(one.lightP50),
    ms(one.lightP99),
    ms(one.lightAfter),
    ms(one.heavyAfter),
    megabytes(one.peakBytes),
  ]);
  return [header, ...rows];
}
