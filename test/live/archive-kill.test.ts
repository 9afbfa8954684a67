import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openPool } from "../../core/database/database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createFolder, type Folder, manifestOf, restore, savedRows } from "../support/archive/archives.ts";
import { bundledCommand } from "../support/bundled.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import type { ArchiveTask } from "./archive-process.ts";

/** So that a backup has about 200 files. */
const BLOCKS = 8;
const KILLS = 5;

function start(task: Omit<ArchiveTask, "blocks">): ChildProcess {
  const argument = JSON.stringify({ ...task, blocks: BLOCKS });
  return spawn(process.execPath, [...bundledCommand("test/live/archive-process.ts"), argument], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

/**
 * Starts the task again and again, and kills it when it has done some more than before. The last run ends by itself. Returns how much was done
 * at each kill.
 */
async function killRepeatedly(task: Omit<ArchiveTask, "blocks">, done: () => Promise<number>): Promise<number[]> {
  const atKill: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await done();
    const child = start(task);
    const ended = once(child, "exit");
    while (child.exitCode === null && (await done()) < before + 6 + 7 * kill) await sleep(2);
    child.kill("SIGKILL");
    await ended;
    atKill.push(await done());
  }
  const [code] = (await once(start(task), "exit")) as [number | null];
  expect(code).toBe(0);
  return atKill;
}

describe("a kill at any moment", () => {
  let original: TestDatabase;
  let folder: Folder;
  beforeAll(async () => {
    original = await indexedAlphaNetwork();
    folder = createFolder();
  });
  afterAll(async () => {
    folder[Symbol.dispose]();
    await original[Symbol.asyncDispose]();
  });

  it("of a backup loses nothing: the next run completes it, and leaves no other file", async () => {
    const files = async () =>
      existsSync(folder.path)
        ? readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith("copy.gz"))
            .length
        : 0;
    const atKill = await killRepeatedly({ name: "backup", url: original.url, directory: folder.path }, files);
    const manifest = manifestOf(folder);
    const paths = [...manifest.chains, ...manifest.tables].flatMap((one) => one.files.map(({ path }) => path));
    expect(atKill[0]).toBeLessThan(paths.length);
    const found = readdirSync(folder.path, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("/"));
    expect(found.sort()).toEqual(paths.sort());
    await using copy = await createTestDatabase();
    await restore(copy.url, folder);
    expect(await savedRows(copy.pool)).toEqual(await savedRows(original.pool));
  });

  it("of a restore loses and doubles nothing: the next run completes it", async () => {
    await using copy = await createTestDatabase();
    await using database = openPool(copy.url, 1, createLogger("silent"));
    const restored = async () =>
      Number((await database.pool.query("SELECT count(*) FROM restored_files")).rows[0].count);
    const task = { name: "restore", url: copy.url, directory: folder.path } as const;
    const atKill = await killRepeatedly(task, restored);
    expect(atKill).toEqual(atKill.toSorted((one, other) => one - other));
    expect(atKill[0]).toBeGreaterThan(5);
    expect(await restored()).toBe(0);
    expect(await savedRows(copy.pool)).toEqual(await savedRows(original.pool));
  });
});
