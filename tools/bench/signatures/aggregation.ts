import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Child, startChild } from "../child.ts";
import { megabytes, ms, percentile } from "../figures.ts";
import { createTarget, type Load, type Target } from "../load.ts";
import { startServer } from "../start-server.ts";
import type { Line } from "../table.ts";
import type { ServiceInput } from "./service.ts";
import { startValidators, type Validators } from "./validators.ts";

const NETWORK = "fuji";
const FIRST_NETWORK_ID = 990_100;
/** Requests before the measured ones, besides the first one, which opens the connections. */
const WARM_UP = 10;
/**
 * Numbers of validators, measured requests, and the limit of the median. In the pauses between requests, the simulators sign for
 * the validators that are not needed any more.
 */
const SIZES = [
  { validators: 100, requests: 200, pauseMs: 50, limitMs: 60 },
  { validators: 1_000, requests: 50, pauseMs: 400, limitMs: 600 },
] as const;
const MIN_OPEN_FILES = 4_096;
const DELAY_LIMIT_MS = 20;
const IDLE_MS = 5_000;

const MANY_REQUESTS = 10_000;
const MANY_VALIDATORS = 5;
const SENDERS = 16;
/** Unused connections of the API to the service are closed after 5 seconds. */
const SETTLE_MS = 90_000;
/** The database's connections of the first request are closed after 10 seconds. */
const QUIET_MS = 15_000;

export interface AggregationTimes {
  readonly validators: number;
  readonly limitMs: number;
  /** The first request, which opens the connections. */
  readonly firstMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** 99th percentile of the delays of the API's event loop, without requests and during requests. */
  readonly idleDelayMs: number;
  readonly delayMs: number;
  /** Processor time for each request. */
  readonly apiCpuMs: number;
  readonly serviceCpuMs: number;
  readonly validatorsCpuMs: number;
}

/** What the signature service has open. */
interface Open {
  readonly sockets: number;
  /** Requests to validators without an answer. */
  readonly pending: number;
  readonly bytes: number;
}

export interface ManyAggregations {
  readonly validators: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly before: Open;
  readonly after: Open;
}

export interface AggregationFigures {
  readonly times: readonly AggregationTimes[];
  readonly many: ManyAggregations;
}

interface Parts {
  readonly validators: Validators;
  readonly service: Child;
  readonly api: Child;
  readonly target: Target;
}

/**
 * Requests E1 over REST for messages that nobody has signed yet: the API and the signature service in processes of their own, and
 * simulated validators in two more.
 */
export async function measureAggregation(url: string): Promise<AggregationFigures> {
  const times: AggregationTimes[] = [];
  for (const size of SIZES) {
    // A process of 1,000 connections has some more open files.
    if (openFilesLimit() < MIN_OPEN_FILES && size.validators >= 1_000) {
      console.log(
        `not measured with ${size.validators} validators: the limit of open files must be at least ${MIN_OPEN_FILES}`,
      );
      continue;
    }
    const messages = 1 + WARM_UP + size.requests;
    times.push(await withParts(url, size.validators, messages, (parts) => measureTimes(parts, size)));
  }
  return { times, many: await withParts(url, MANY_VALIDATORS, 1 + MANY_REQUESTS, measureMany) };
}

async function measureTimes(
  { validators, service, api, target }: Parts,
  { validators: count, requests, pauseMs, limitMs }: (typeof SIZES)[number],
): Promise<AggregationTimes> {
  const messages = validators.messages.values();
  const firstMs = await timeOf(target, messages);
  for (let done = 0; done < WARM_UP; done++) await timeOf(target, messages);
  await api.ask("startDelay");
  await sleep(IDLE_MS);
  const idleDelayMs = await api.ask("delayP99");
  const cpuMs = async () => [await api.cpuMs(), await service.cpuMs(), validators.cpuMs()] as const;
  const before = await cpuMs();
  await api.ask("startDelay");
  const all: number[] = [];
  for (let done = 0; done < requests; done++) {
    await sleep(pauseMs);
    all.push(await timeOf(target, messages));
  }
  const delayMs = await api.ask("delayP99");
  const after = await cpuMs();
  return {
    validators: count,
    limitMs,
    firstMs,
    p50Ms: percentile(all, 0.5),
    p99Ms: percentile(all, 0.99),
    idleDelayMs,
    delayMs,
    apiCpuMs: (after[0] - before[0]) / requests,
    serviceCpuMs: (after[1] - before[1]) / requests,
    validatorsCpuMs: (after[2] - before[2]) / requests,
  };
}

async function measureMany({ validators, service, target }: Parts): Promise<ManyAggregations> {
  const messages = validators.messages.values();
  await timeOf(target, messages);
  await sleep(QUIET_MS);
  const before = await openOf(service);
  const startedAt = performance.now();
  const send = async () => {
    for (const message of messages) await target.ask(requestOf(message));
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  const seconds = (performance.now() - startedAt) / 1_000;
  const settledBy = performance.now() + SETTLE_MS;
  let after = await openOf(service);
  while (after.sockets > before.sockets && performance.now() < settledBy) {
    await sleep(500);
    after = await openOf(service);
  }
  return {
    validators: MANY_VALIDATORS,
    requests: MANY_REQUESTS,
    perSecond: MANY_REQUESTS / seconds,
    before,
    after,
  };
}

async function openOf(service: Child): Promise<Open> {
  return {
    sockets: await service.ask("sockets"),
    pending: await service.ask("pending"),
    bytes: await service.memoryBytes(),
  };
}

/** Runs a task with validators that have seen `messages` messages, a signature service and an API. */
async function withParts<Result>(
  url: string,
  count: number,
  messages: number,
  task: (parts: Parts) => Promise<Result>,
): Promise<Result> {
  const networkId = FIRST_NETWORK_ID + count;
  const dataDirectory = mkdtempSync(join(tmpdir(), "moraine-bench-signatures-"));
  try {
    await using validators = await startValidators(url, { networkId, count, messages });
    const network = {
      network: NETWORK,
      networkId,
      nodeUrl: validators.nodeUrl,
      genesisFile: "not read",
      signatures: { peers: validators.peers },
    };
    const serviceInput: ServiceInput = { url, network, dataDirectory };
    await using service = await startChild(new URL("service.ts", import.meta.url), serviceInput);
    await using api = await startServer({
      kind: "moraine",
      url,
      evmChains: [],
      primaryNetworks: [network],
      signatureServiceUrl: service.url,
    });
    await using target = createTarget(api.url);
    return await task({ validators, service, api, target });
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
}

function requestOf(message: string): Load {
  return {
    method: "POST",
    path: `/v1/signatureAggregator/${NETWORK}/aggregateSignatures`,
    body: JSON.stringify({ message }),
  };
}

/** Time until the aggregate of the next message is answered, in milliseconds. */
async function timeOf(target: Target, messages: Iterator<string>): Promise<number> {
  const request = requestOf(String(messages.next().value));
  const startedAt = performance.now();
  await target.ask(request);
  return performance.now() - startedAt;
}

/** The limit of open files of this process and its children. Linux only. */
function openFilesLimit(): number {
  const limits = readFileSync("/proc/self/limits", "utf8");
  const [, limit] = /^Max open files\s+(\S+)/m.exec(limits) ?? [];
  return limit === "unlimited" ? Number.POSITIVE_INFINITY : Number(limit);
}

export function aggregationLines({ times }: AggregationFigures): Line[] {
  const header = [
    "aggregation (E1)",
    "validators",
    "p50",
    "limit",
    "p99",
    "first request",
    "API's event loop p99",
    "limit",
    "idle",
    "CPU API",
    "service",
    "validators",
  ];
  const rows = times.map((one, at) => [
    at === 0 ? "new messages, one at a time" : "",
    one.validators.toLocaleString("en"),
    ms(one.p50Ms),
    ms(one.limitMs),
    ms(one.p99Ms),
    ms(one.firstMs),
    ms(one.delayMs),
    ms(DELAY_LIMIT_MS),
    ms(one.idleDelayMs),
    ms(one.apiCpuMs),
    ms(one.serviceCpuMs),
    ms(one.validatorsCpuMs),
  ]);
  return [header, ...rows];
}

export function manyAggregationLines({ many }: AggregationFigures): Line[] {
  const { validators, requests, perSecond, before, after } = many;
  const change = (name: "sockets" | "pending") => `${before[name]} -> ${after[name]}`;
  return [
    ["signature service", "", "requests", "requests/s", "sockets", "pending entries", "memory"],
    [
      `new messages, ${SENDERS} at a time`,
      `${validators} validators`,
      requests.toLocaleString("en"),
      perSecond.toFixed(0),
      change("sockets"),
      change("pending"),
      `${megabytes(before.bytes)} -> ${megabytes(after.bytes)}`,
    ],
  ];
}
