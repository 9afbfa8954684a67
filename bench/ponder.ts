import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { type Child, startChild } from "./child.ts";
import { inSession } from "./database.ts";
import { measureChain, type Speed } from "./indexing.ts";
import { childrenMs, postgresMs, postgresServer } from "./processor-time.ts";
import type { NodeInput } from "./synthetic/node.ts";
import type { Line } from "./table.ts";

const BLOCKS = 2_000;
/** Ponder treats the last blocks of a node as not final, and reads them in another way. */
const UNFINALISED = 200;
const CHAIN_ID = 960_001;
/** Ponder sends at most 20 requests a second to each URL at first, and at most 500 later. */
const MANY_URLS = 100;
const ROOT = new URL("rivals/ponder/", import.meta.url);
const PROGRAM = "ponder/dist/esm/bin/ponder.js";
const TIMEOUT_MS = 240_000;

export interface PonderFigures {
  readonly shipped: Speed;
  readonly lifted: Speed;
  readonly cached: Speed;
  readonly backfill: Speed;
  readonly replay: Speed;
}

/**
 * Indexes a synthetic chain of ERC-20 transfers with Ponder into tables of transactions, logs, transfers and balances: as it is shipped,
 * with so many URLs of the node that it does not hold requests back, and from its cache. Then indexes and replays such a chain with
 * Moraine, which also writes its raw block store, past balances, holders, supplies and activity.
 */
export async function measurePonder(url: string): Promise<PonderFigures> {
  const input = { chainId: CHAIN_ID, blocks: BLOCKS + UNFINALISED } satisfies NodeInput;
  await using node = await startChild(new URL("synthetic/node.ts", import.meta.url), input);
  const shipped = await run(url, node, { schema: "shipped", urls: 1 });
  await inSession(url, (client) => client.query("DROP SCHEMA ponder_sync CASCADE"));
  const lifted = await run(url, node, { schema: "lifted", urls: MANY_URLS });
  const cached = await run(url, node, { schema: "cached", urls: 1 });
  const settings = { name: "Moraine", chainId: CHAIN_ID + 1, traces: "off", blocks: BLOCKS } as const;
  const { backfill, replay } = await measureChain(url, settings);
  await assertEqual(url);
  return { shipped, lifted, cached, backfill, replay };
}

interface PonderRun {
  /** Of the tables. */
  readonly schema: string;
  /** Number of URLs of the node in Ponder's settings. */
  readonly urls: number;
}

/** Measures from the time when Ponder has loaded its program to the time when it has all rows and indexes. */
async function run(url: string, node: Child, { schema, urls }: PonderRun): Promise<Speed> {
  const program = fileURLToPath(new URL(`node_modules/${PROGRAM}`, ROOT));
  const flags = ["--root", fileURLToPath(ROOT), "--config", "ponder.config.mjs", "--log-level", "error"];
  const port = await freePort();
  const ponderUrl = `http://127.0.0.1:${port}`;
  const where = ["--schema", schema, "--port", String(port), "--hostname", "127.0.0.1"];
  const nodeUrls = Array.from({ length: urls }, (_, i) => `${node.url}/${i}`);
  const env = {
    ...process.env,
    NODE_NO_WARNINGS: "1",
    PONDER_TELEMETRY_DISABLED: "true",
    BENCH_CHAIN_ID: String(CHAIN_ID),
    BENCH_NODE_URLS: JSON.stringify(nodeUrls),
    BENCH_DATABASE_URL: url,
    BENCH_LAST_BLOCK: String(BLOCKS - 1),
  };
  const ponder = spawn(process.execPath, [program, ...flags, "start", ...where], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = once(ponder, "exit");
  try {
    const server = await postgresServer(url);
    await untilOk(`${ponderUrl}/health`);
    const before = { at: performance.now(), own: ownMs(), postgres: postgresMs(server) };
    await untilOk(`${ponderUrl}/ready`);
    return {
      blocksPerSecond: (BLOCKS * 1_000) / (performance.now() - before.at),
      indexerMs: (ownMs() - before.own) / BLOCKS,
      postgresMs: (postgresMs(server) - before.postgres) / BLOCKS,
    };
  } finally {
    ponder.kill();
    await ended;
  }
}

const ownMs = (): number => [...childrenMs(PROGRAM).values()].reduce((sum, one) => sum + one, 0);

async function untilOk(url: string): Promise<void> {
  const startedAt = performance.now();
  while (!(await isOk(url))) {
    if (performance.now() - startedAt > TIMEOUT_MS) throw new Error(`${url} does not answer 200 in time`);
    await sleep(20);
  }
}

async function isOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    // Ponder does not listen yet.
    return false;
  }
}

/** Throws unless both have the same transfers and balances. */
async function assertEqual(url: string): Promise<void> {
  const [ponder, moraine] = await inSession(url, async (client) => [
    (await client.query(PONDER_ROWS)).rows,
    (await client.query(MORAINE_ROWS, [CHAIN_ID + 1])).rows,
  ]);
  if (!isDeepStrictEqual(ponder, moraine)) throw new Error("Ponder and Moraine have written different rows");
}

/** Sums of transfers and all balances. PostgreSQL may return the parts of a UNION ALL in any order. */
const inOrder = (parts: string): string => `SELECT name, value FROM (${parts}) AS part ORDER BY name COLLATE "C"`;
const PONDER_ROWS = inOrder(`SELECT 'transfers' AS name, count(*) || ' ' || sum(value) AS value FROM shipped.transfers
  UNION ALL SELECT address, balance::text FROM shipped.balances WHERE balance <> 0`);
const MORAINE_ROWS =
  inOrder(`SELECT 'transfers' AS name, count(*) || ' ' || sum(value) AS value FROM erc20_transfers WHERE chain_id = $1
  UNION ALL SELECT '0x' || encode(address, 'hex'), balance::text FROM erc20_holders WHERE chain_id = $1 AND balance <> 0`);

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** A ratio above 1: Moraine is faster. */
export function ponderLines({ shipped, lifted, cached, backfill, replay }: PonderFigures): Line[] {
  const header = [
    "20 transactions a block",
    "",
    "blocks/s",
    "indexer CPU ms/block",
    "PostgreSQL CPU ms/block",
    "ratio",
  ];
  const line = (name: string, from: string, speed: Speed, other?: Speed) => [
    name,
    from,
    Math.round(speed.blocksPerSecond).toLocaleString("en"),
    speed.indexerMs.toFixed(2),
    speed.postgresMs.toFixed(2),
    other ? (other.blocksPerSecond / speed.blocksPerSecond).toFixed(2) : "",
  ];
  return [
    header,
    line("Ponder, as shipped", "node", shipped, backfill),
    line("Ponder, with many URLs of the node", "node", lifted, backfill),
    line("Ponder", "its cache", cached, replay),
    line("Moraine", "node", backfill),
    line("Moraine", "raw block store", replay),
  ];
}
