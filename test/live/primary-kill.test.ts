import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { TABLE_NAMES } from "../../indexer/primary/replay/store/tables.ts";
import { bundled } from "../support/bundled.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { until } from "../support/indexed/indexing.ts";
import { replayPrimary } from "../support/indexed/replayed-primary.ts";
import { recordingFolder } from "../support/recorded/primary-vectors.ts";

/** Kills of each recording's replay. */
const KILLS = isFullRun ? 25 : 4;
/** A process starts for each kill, which takes long on a busy machine. */
const TIMEOUT_MS = 240_000;

const REPLAY = bundled("test/live/primary-replay-process.ts");

interface ReplayProcess {
  readonly exit: Promise<unknown>;
  /** Resolves when the process has the database's URL. */
  begin(url: string): Promise<void>;
  kill(): void;
}

/** Starts a process that reads a recording and then waits for `begin`. */
function startReplayProcess(folder: string): ReplayProcess {
  const child = spawn(process.execPath, [REPLAY, folder], { stdio: ["pipe", "pipe", "inherit"] });
  const ready = once(createInterface(child.stdout), "line");
  return {
    exit: once(child, "exit"),
    async begin(url) {
      await ready;
      child.stdin.write(`${url}\n`);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/** All rows of all tables of a network, including the raw blocks and the heads. */
async function everything({ pool }: Pick<TestDatabase, "pool">): Promise<Record<string, unknown[]>> {
  const tables = [
    ...TABLE_NAMES,
    "primary_raw_blocks",
    "primary_heads",
    "p_chain_states",
    "validator_totals",
    "subnet_totals",
  ];
  const dumps = tables.map(async (table) => {
    const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`);
    return [table, rows.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(dumps));
}

async function rawBlockCount({ pool }: Pick<TestDatabase, "pool">): Promise<number> {
  return (await pool.query<{ n: number }>("SELECT count(*)::int AS n FROM primary_raw_blocks")).rows[0]?.n ?? 0;
}

it.each(sampled(["alpha", "delta"] as const, 1))(
  `a replay of %s that is killed ${KILLS} times neither loses nor repeats rows`,
  async (name) => {
    const folder = recordingFolder(name);
    await using whole = await replayPrimary(folder);
    const total = await rawBlockCount(whole);
    await using database = await createTestDatabase();
    let next = startReplayProcess(folder);
    let killedDuringReplay = 0;
    try {
      for (let kills = 0; kills < KILLS; kills++) {
        const running = next;
        next = startReplayProcess(folder);
        await running.begin(database.url);
        // At a random place before the end, within a transaction or between two.
        const before = await rawBlockCount(database);
        const target = Math.min(total, before + randomInt(1, Math.ceil((1.6 * total) / KILLS)));
        await until(
          () => rawBlockCount(database),
          (length) => length >= target,
          "the replay to go on",
          1,
        );
        await sleep(randomInt(8));
        running.kill();
        await running.exit;
        const length = await rawBlockCount(database);
        if (length > 0 && length < total) killedDuringReplay++;
      }
      await next.begin(database.url);
      await next.exit;
    } finally {
      next.kill();
    }
    expect(killedDuringReplay).toBeGreaterThan(KILLS / 3);
    expect(await everything(database)).toEqual(await everything(whole));
  },
  TIMEOUT_MS,
);
