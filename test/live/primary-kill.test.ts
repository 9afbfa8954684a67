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
    "primary_activity",
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

/** Lets each transaction that writes or deletes a head wait in its middle. */
const SLOW = `CREATE FUNCTION wait() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END' LANGUAGE plpgsql;
  CREATE TRIGGER wait BEFORE INSERT OR UPDATE OR DELETE ON primary_heads EXECUTE FUNCTION wait()`;

/** The heads that a waiting transaction will change, by chain; null while no transaction waits. */
async function headsWhileWaiting({ pool }: Pick<TestDatabase, "pool">): Promise<string | null> {
  const { rowCount } = await pool.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
  );
  const { rows } = await pool.query<{ heads: string | null }>(
    "SELECT string_agg(chain || ' ' || raw_seq, ', ' ORDER BY chain) AS heads FROM primary_heads",
  );
  return rowCount === 0 ? null : (rows[0]?.heads ?? "");
}

it(
  "a replay of rows of another version that is killed in each of its transactions leaves the rows of the first replay",
  async () => {
    const folder = recordingFolder("alpha");
    await using database = await replayPrimary(folder);
    const before = await everything(database);
    await database.pool.query("UPDATE primary_heads SET rows_version = rows_version - 1");
    await database.pool.query(SLOW);
    const seen = new Set<string>();
    const isNew = (heads: string | null): heads is string => heads !== null && !seen.has(heads);
    // The old rows are deleted with the genesis written, then come the rows of P, X and the first blocks of C.
    while (seen.size < 4) {
      const running = startReplayProcess(folder);
      try {
        await running.begin(database.url);
        seen.add((await until(() => headsWhileWaiting(database), isNew, "the next transaction", 1)) ?? "");
      } finally {
        running.kill();
        await running.exit;
      }
    }
    const lastOf = (chain: "P" | "X") => database.recording.entries[chain].length - 1;
    const [, ...heads] = seen;
    expect(heads).toEqual(["P -1", `P ${lastOf("P")}`, `P ${lastOf("P")}, X ${lastOf("X")}`]);
    await database.pool.query("DROP FUNCTION wait CASCADE");
    const last = startReplayProcess(folder);
    await last.begin(database.url);
    await last.exit;
    expect(await everything(database)).toEqual(before);
  },
  TIMEOUT_MS,
);
