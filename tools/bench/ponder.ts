import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import type { Child } from "./child.ts";
import { inSession, tidyUp } from "./database.ts";
import { measureChain, type Speed } from "./indexing.ts";
import { childrenMs, postgresMs, postgresServer } from "./processor-time.ts";
import { startNode } from "./synthetic/start-node.ts";
import type { Line } from "./table.ts";

/** With fewer blocks, a large part of the time would be the start: compiling code, and creating the tables of the chain. */
const BLOCKS = 8_000;
/** As it is shipped, Ponder waits most of the time, so all blocks would take eight minutes. */
const SHIPPED_BLOCKS = 2_000;
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
 * Moraine, which also writes its raw blocks, past balances, holders, supplies and activity.
 */
export async function measurePonder(url: string): Promise<PonderFigures> {
  const ponder = await runAll(url);
  await tidyUp(url);
  const settings = { name: "Moraine", chainId: CHAIN_ID + 1, traces: "off", blocks: BLOCKS } as const;
  const { backfill, replay } = await measureChain(url, settings);
  await assertEqual(url);
  return { ...ponder, backfill, replay };
}

async function runAll(url: string): Promise<Pick<PonderFigures, "shipped" | "lifted" | "cached">> {
  await using node = await startNode({ chainId: CHAIN_ID, blocks: BLOCKS + UNFINALISED });
  const shipped = await run(url, node, { schema: "shipped", urls: 1, blocks: SHIPPED_BLOCKS });
  await inSession(url, (client) => client.query("DROP SCHEMA ponder_sync CASCADE"));
  const lifted = await run(url, node, { schema: "lifted", urls: MANY_URLS, blocks: BLOCKS });
  const cached = await run(url, node, { schema: "cached", urls: 1, blocks: BLOCKS });
  return { shipped, lifted, cached };
}

type Schema = "shipped" | "lifted" | "cached";

interface PonderRun {
  /** Of the tables. */
  readonly schema: Schema;
  /** Number of URLs of the node in Ponder's settings. */
  readonly urls: number;
  readonly blocks: number;
}

/** Measures from the time when Ponder has loaded its program to the time when it has all rows and indexes. */
async function run(url: string, node: Child, { schema, urls, blocks }: PonderRun): Promise<Speed> {
  await tidyUp(url);
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
    BENCH_LAST_BLOCK: String(blocks - 1),
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
      blocksPerSecond: (blocks * 1_000) / (performance.now() - before.at),
      indexerMs: (ownMs() - before.own) / blocks,
      postgresMs: (postgresMs(server) - before.postgres) / blocks,
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

/** Throws unless all runs have written the transfers and balances of their blocks. */
async function assertEqual(url: string): Promise<void> {
  const rowsOf = async (text: string) => inSession(url, async (client) => (await client.query(text)).rows);
  const moraine = await rowsOf(MORAINE_ROWS);
  for (const schema of ["lifted", "cached"] as const)
    if (!isDeepStrictEqual(await rowsOf(ponderRows(schema)), moraine))
      throw new Error(`Ponder (${schema}) and Moraine have written different rows`);
  if (!isDeepStrictEqual(await rowsOf(ponderRows("shipped")), await rowsOf(FIRST_ROWS)))
    throw new Error("Ponder (shipped) has written other rows than for all blocks");
}

/** Sums of transfers and all balances. PostgreSQL may return the parts of a UNION ALL in any order. */
const inOrder = (parts: string): string => `SELECT name, value FROM (${parts}) AS part ORDER BY name COLLATE "C"`;
const COUNT = "SELECT 'transfers' AS name, count(*) || ' ' || sum(value) AS value";
const ponderRows = (schema: Schema): string =>
  inOrder(`${COUNT} FROM ${schema}.transfers
  UNION ALL SELECT address, balance::text FROM ${schema}.balances WHERE balance <> 0`);
const MORAINE_ROWS = inOrder(`${COUNT} FROM erc20_transfers WHERE chain_id = ${CHAIN_ID + 1}
  UNION ALL SELECT '0x' || encode(address, 'hex'), balance::text FROM erc20_holders
    WHERE chain_id = ${CHAIN_ID + 1} AND balance <> 0`);
/** What the first blocks write, from the transfers of all blocks. */
const FIRST_ROWS = `WITH first AS (SELECT "from", "to", value FROM lifted.transfers WHERE block_number < ${SHIPPED_BLOCKS})
  ${inOrder(`${COUNT} FROM first
  UNION ALL SELECT address, sum(amount)::text FROM (
      SELECT "from" AS address, -value AS amount FROM first UNION ALL SELECT "to", value FROM first) AS change
    GROUP BY address HAVING sum(amount) <> 0`)}`;

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
    "blocks",
    "blocks/s",
    "indexer CPU ms/block",
    "PostgreSQL CPU ms/block",
    "ratio",
  ];
  const line = (name: string, from: string, speed: Speed, other?: Speed) => [
    name,
    from,
    (speed === shipped ? SHIPPED_BLOCKS : BLOCKS).toLocaleString("en"),
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
    line("Moraine", "raw blocks", replay),
  ];
}
