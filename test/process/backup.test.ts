import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPool } from "../../core/database/database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { processName } from "../../core/processes/running-process.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { manifestOf, savedRows } from "../support/archive/archives.ts";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { ended, run } from "./processes.ts";
import { until } from "./until.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-backup-"));
// The account of the embedded server must be able to enter it if root runs the tests.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function rowsAt(url: string): Promise<Record<string, readonly string[]>> {
  await using database = openPool(url, 1, createLogger("silent"));
  return await savedRows(database.pool);
}

describe("`moraine backup` and `moraine restore`", () => {
  let original: TestDatabase;
  let node: ReplayNode;
  const backup = join(folder, "backup");
  const archive = join(folder, "archive");
  const settings = join(folder, "moraine.json");
  let env: Readonly<Record<string, string>>;
  beforeAll(async () => {
    original = await indexedAlphaNetwork();
    node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
    const { manifest } = node.recording;
    const primaryNetworks = [demoNetwork(manifest, ALPHA, node.url)];
    writeFileSync(settings, JSON.stringify({ evmChains: demoConfig(manifest, node.url), primaryNetworks }));
    env = { MORAINE_CONFIG: settings };
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await original[Symbol.asyncDispose]();
  });

  it("say what they have written", async () => {
    const { code, output } = await ended("keys create --label app", [], { ...env, DATABASE_URL: original.url });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^moraine_/) });
    expect(await ended("backup", ["--to", backup], { ...env, DATABASE_URL: original.url })).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^\d+ tables written\n(.+ of \d+\n)*\d+ files with \d+ MB written; \S+backup has \d+ files with \d+ MB\n$/,
      ),
    });
    const written = await ended("backup", ["--raw", "--to", archive, "--json"], { ...env, DATABASE_URL: original.url });
    expect(written.code).toBe(0);
    expect(manifestOf({ path: archive })).toMatchObject({ kind: "archive", isComplete: true });
  });

  it("give a database that `moraine verify` finds equal to the node, with the same API keys", async () => {
    await using empty = await createEmptyDatabase("");
    const restoredEnv = { ...env, DATABASE_URL: empty.url };
    const { code, output } = await ended("restore", ["--from", backup], restoredEnv);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^[\s\S]*chain 760011: up to block 234\n[\s\S]*\d+ rows restored. Next: start Moraine \(npm start\)/,
      ),
    });
    expect(await rowsAt(empty.url)).toEqual(await rowsAt(original.url));
    const keys = (url: string) => ended("keys list --json", [], { ...env, DATABASE_URL: url });
    expect(await keys(empty.url)).toEqual(await keys(original.url));
    {
      await using service = await run("start --only indexer", restoredEnv);
      await using database = openPool(empty.url, 1, createLogger("silent"));
      const following = "SELECT count(*) AS n FROM primary_progress WHERE state = 'FOLLOWING'";
      const evm = "SELECT count(*) AS n FROM chain_progress WHERE state = 'FOLLOWING'";
      const counts = async () =>
        (await Promise.all([following, evm].map((text) => database.pool.query(text)))).map(({ rows }) =>
          Number(rows[0].n),
        );
      await until(async () => {
        expect(service.child.exitCode).toBeNull();
        return String(await counts()) === "3,2";
      }, service.output);
    }
    expect(await ended("verify", [], restoredEnv)).toEqual({
      code: 0,
      output: expect.stringMatching(/^(?![\s\S]*[1-9]\d* differ)[\s\S]*compared, 0 differ/),
    });
    expect(await ended("gaps --chain 760011", [], restoredEnv)).toMatchObject({ code: 0 });
  });

  it("import an archive for the chains of the settings, and name what is not in them", async () => {
    await using empty = await createEmptyDatabase("");
    const others = join(folder, "other.json");
    const [chain] = demoConfig(node.recording.manifest, node.url);
    writeFileSync(others, JSON.stringify({ evmChains: [{ ...chain, nodeUrl: "http://127.0.0.1:1" }] }));
    expect(
      await ended("restore", ["--raw", "--from", archive], { MORAINE_CONFIG: others, DATABASE_URL: empty.url }),
    ).toEqual({
      code: 0,
      output: expect.stringMatching(/^chain \d+: \d+ blocks imported, up to \d+\nNext: start Moraine \(npm start\)/),
    });
    writeFileSync(others, JSON.stringify({ evmChains: [{ ...chain, chainId: 4711 }] }));
    await using other = await createTestDatabase();
    expect(
      await ended("restore", ["--raw", "--from", archive], { MORAINE_CONFIG: others, DATABASE_URL: other.url }),
    ).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^the archive has chain \d+, chain \d+, network 76001, and none of it is in the settings: add it to evmChains or primaryNetworks\n$/,
      ),
    });
  });

  it("refuse a database with rows, one of an earlier version, and a directory without a backup, each in one line", async () => {
    const refused = (args: readonly string[], url = original.url) =>
      ended("restore", args, { ...env, DATABASE_URL: url });
    expect(await refused(["--from", backup])).toEqual({
      code: 1,
      output: expect.stringMatching(/^the database is not empty: .*\n$/),
    });
    expect(await refused(["--from", folder])).toEqual({
      code: 1,
      output: expect.stringMatching(/^"\S+" has no manifest.json: it is no backup and no archive\n$/),
    });
    expect(await refused(["--from", archive])).toMatchObject({ output: expect.stringMatching(/^this is an archive/) });
    await using older = await createTestDatabase();
    await older.pool.query(
      "DELETE FROM _prisma_migrations WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)",
    );
    expect(await refused(["--from", backup], older.url)).toEqual({
      code: 1,
      output: expect.stringMatching(/^the database is older than this version of Moraine .*\n$/),
    });
  });

  it("move the embedded database to another server by one command, and leave it as it is", async () => {
    const MORAINE_DATA = join(folder, "data");
    const embedded = { ...env, MORAINE_DATA };
    expect(await ended("restore", ["--from", backup], embedded)).toMatchObject({ code: 0 });
    await using empty = await createEmptyDatabase("");
    expect(await ended("move", [], embedded)).toEqual({
      code: 1,
      output: "setting databaseUrl must name the database to move to: moraine move --database-url postgresql://…\n",
    });
    const processFile = join(MORAINE_DATA, "moraine.pid");
    writeFileSync(processFile, processName(process.pid));
    expect(await ended("move", ["--database-url", empty.url], embedded)).toEqual({
      code: 1,
      output: expect.stringMatching(/^process \d+ runs Moraine with the data directory .*: stop it, then run/),
    });
    rmSync(processFile);
    const moved = await ended("move", ["--database-url", empty.url], embedded);
    expect(moved).toMatchObject({ code: 0, output: expect.stringContaining("chain 760011: up to block 234\n") });
    expect(await rowsAt(empty.url)).toEqual(await rowsAt(original.url));
    expect(existsSync(join(MORAINE_DATA, "move"))).toBe(false);
    expect(await ended("keys list --json", [], embedded)).toEqual(
      await ended("keys list --json", [], { ...env, DATABASE_URL: empty.url }),
    );
  });
});
