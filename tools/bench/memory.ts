import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readManifest } from "../../recordings/manifest.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { percentile } from "./figures.ts";
import { type Product, startProduct } from "./product.ts";
import type { Line } from "./table.ts";

const PORT = 4_390;
/** The recording of a live demo is complete after two and a half minutes. */
const INDEXED_WITHIN_MS = 240_000;
/** Node.js gives back memory some seconds after the work. */
const REST_MS = 10_000;
const STARTS = 5;

const HEADS = "{ chains { chains { chainId indexing { blockNumber } } } }";
const PAGES = ["README.md", "docs/signatures.md"].map((page) =>
  readFileSync(new URL(`../../${page}`, import.meta.url), "utf8"),
);

/** Memory of a process, in bytes. The proportional set counts a page that n processes share as an n-th of a page. */
interface Figures {
  readonly name: string;
  readonly pid: number;
  readonly resident: number;
  readonly proportional: number;
}

type Figure = Exclude<keyof Figures, "name" | "pid">;
const COLUMNS: readonly Figure[] = ["resident", "proportional"];

/** Memory of the processes at a moment. */
interface Moment {
  readonly name: string;
  readonly processes: readonly Figures[];
}

/** Memory of what `npm start` runs, without PostgreSQL, after the demo is indexed. */
export async function measureMemory(): Promise<Moment[]> {
  return inDirectory(async (dataDirectory) => {
    await using product = await startProduct({ port: PORT, dataDirectory });
    await untilIndexed(product);
    const moments: Moment[] = [];
    const note = async (name: string) => {
      await sleep(REST_MS);
      moments.push({ name, processes: product.processes().map((one) => ({ ...one, ...memoryOf(one.pid) })) });
    };
    await note("indexed");
    for (const request of exampleRequests().filter(({ path }) => !path.includes("signature")))
      await send(product, request);
    await note("after REST and GraphQL");
    for (const request of exampleRequests().filter(({ path }) => path.includes("signature")))
      await send(product, request);
    await note("after signatures");
    return moments;
  });
}

/** Rows of the memory of each process, and of their sum. */
export function memoryLines(moments: readonly Moment[]): Line[] {
  const header = ["moment", "process", "resident MB", "proportional MB"];
  const megabytes = (bytes: number) => (bytes / 2 ** 20).toFixed(0);
  const rows = moments.flatMap(({ name, processes }) => {
    const sums = COLUMNS.map((column) => processes.reduce((all, one) => all + one[column], 0));
    const lines = processes.map((one) => [one.name, ...COLUMNS.map((column) => megabytes(one[column]))]);
    return [...lines, ["all", ...sums.map(megabytes)]].map((line, at) => [at === 0 ? name : "", ...line]);
  });
  return [header, ...rows];
}

/** Times from the command `npm start` to the first answer. */
export interface Starts {
  readonly emptyMs: readonly number[];
  readonly againMs: readonly number[];
}

/** Starts the demo with empty data and again with the same data, in turns. */
export async function measureStarts(): Promise<Starts> {
  const [emptyMs, againMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < STARTS; round++)
    await inDirectory(async (dataDirectory) => {
      for (const times of [emptyMs, againMs]) {
        await using product = await startProduct({ port: PORT, dataDirectory });
        times.push(product.firstAnswerMs);
      }
    });
  return { emptyMs, againMs };
}

/** Rows of the times of starts, in milliseconds. */
export function startLines({ emptyMs, againMs }: Starts): Line[] {
  const row = (name: string, times: readonly number[]) => [
    name,
    String(times.length),
    ...[percentile(times, 0.5), Math.min(...times), Math.max(...times)].map((ms) => ms.toFixed(0)),
  ];
  return [
    ["npm start", "starts", "median ms", "fastest", "slowest"],
    row("with empty data", emptyMs),
    row("again", againMs),
  ];
}

async function inDirectory<Result>(use: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), "moraine-bench-start-"));
  try {
    return await use(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

interface ExampleRequest {
  readonly path: string;
  readonly body: string | undefined;
}

/** The requests of the pages that have an answer there. */
function exampleRequests(): ExampleRequest[] {
  return [...PAGES.join("\n").matchAll(/```sh\n(curl [^`]*)\n```\n\n```json/g)].map(([, command = ""]) => {
    const path = /http:\/\/127\.0\.0\.1:4000([^\s']*)/.exec(command)?.[1] ?? "";
    const query = /--data-urlencode 'query=([^']*)'/.exec(command)?.[1];
    return {
      path: query === undefined ? path : `${path}?query=${encodeURIComponent(query)}`,
      body: /-d '([^']*)'/.exec(command)?.[1],
    };
  });
}

async function send({ url }: Product, { path, body }: ExampleRequest): Promise<unknown> {
  const options = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body };
  const response = await fetch(url + path, options);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return JSON.parse(text);
}

/** Waits until the whole recording of each EVM chain is indexed. */
async function untilIndexed(product: Product): Promise<void> {
  const wanted = readManifest(ALPHA).chains.flatMap(({ evmChainId, height }) =>
    evmChainId === undefined ? [] : [`${evmChainId}: ${height}`],
  );
  const untilMs = performance.now() + INDEXED_WITHIN_MS;
  while (performance.now() < untilMs) {
    const answer = (await send(product, { path: "/graphql", body: JSON.stringify({ query: HEADS }) })) as Heads;
    const heads = answer.data.chains.chains.map(({ chainId, indexing }) => `${chainId}: ${indexing?.blockNumber}`);
    if (wanted.every((head) => heads.includes(head))) return;
    await sleep(1_000);
  }
  throw new Error(`the demo was not indexed in ${INDEXED_WITHIN_MS / 1_000} s`);
}

interface Heads {
  readonly data: { readonly chains: { readonly chains: readonly Head[] } };
}

interface Head {
  readonly chainId: string;
  /** Null until the indexer has begun. */
  readonly indexing: { readonly blockNumber: string } | null;
}

function memoryOf(pid: number): Omit<Figures, "name" | "pid"> {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const bytes = (field: string) => 1_024 * Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(text)?.[1]);
  return { resident: bytes("Rss"), proportional: bytes("Pss") };
}
