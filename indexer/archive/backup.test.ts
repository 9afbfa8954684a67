import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openPool } from "../../core/database/database.ts";
import { migrate, requireMigrated } from "../../core/database/migrate.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import {
  chainOf,
  copyOfArchive,
  createFolder,
  type Folder,
  manifestOf,
  restore,
  savedRows,
  write,
} from "../../test/support/archive/archives.ts";
import { testConfig } from "../../test/support/config.ts";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { indexedAlphaNetwork } from "../../test/support/indexed/alpha-network.ts";
import { untilIndexed } from "../../test/support/indexed/indexed.ts";
import { replayInto } from "../../test/support/indexed/replayed-primary.ts";
import { syntheticChain } from "../../test/support/indexed/synthetic-chain.ts";
import { readPrimaryRecording } from "../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../test/support/recorded/primary-vectors.ts";
import { appendEntries, type RawBlockEntry } from "../evm/raw-blocks/entries.ts";
import { appendTraces, traceEntry } from "../evm/raw-blocks/raw-traces.ts";
import { rawBlockEntry } from "../evm/raw-blocks/stored-blocks.ts";
import { createPartitions } from "../evm/store/tables.ts";
import type { RawBlock } from "../evm/wire/blocks.ts";
import { startIndexer } from "../indexer.ts";
import { tryBecomeWriter } from "../shared/writer.ts";

const C_CHAIN = "760011";

/** Rows of an installation: keys, ABIs, prices, operations. */
const OWN_ROWS = [
  `INSERT INTO secrets VALUES ('page-tokens', '\\x00ff5c0a')`,
  `INSERT INTO api_keys VALUES ('\\xabcd', E'key "1"\\n\\\\', 100, NULL, '{fuji,"a b"}', '{}', 1700000000, NULL)`,
  `INSERT INTO contract_abis (chain_id, address, source, created_at) VALUES (NULL, NULL, 'a.json', 1), (${C_CHAIN}, '\\x01', 'b.json', 2)`,
  `INSERT INTO contract_abi_entries VALUES (2, 0, ${C_CHAIN}, '\\x01', 'event', '\\x02', '{"name":"é \\u0000"}')`,
  `INSERT INTO prices VALUES ('avalanche-2', 'usd', 1700000000, 12.345678901234567890123456789012)`,
  `INSERT INTO operations (operation_id, owner, operation_type, operation_status, request, request_hash, created_at, updated_at)
     VALUES ('6f9619ff-8b86-d011-b42d-00c04fc964ff', '', 'EXPORT', 'COMPLETED', '{}', '\\x00', 9007199254740993, 2)`,
  `INSERT INTO idempotency_keys VALUES ('', 'k', '6f9619ff-8b86-d011-b42d-00c04fc964ff', '\\x00', 3)`,
];

/** The database of the recording alpha, with rows of an installation. */
async function filledDatabase(): Promise<TestDatabase> {
  const database = await indexedAlphaNetwork();
  for (const text of OWN_ROWS) await database.pool.query(text);
  return database;
}

/** The saved rows of a database without rows into which a backup is restored. */
async function rowsAfterRestore(folder: Folder): Promise<Record<string, readonly string[]>> {
  await using empty = await createEmptyDatabase("");
  await restore(empty.url, folder);
  await using database = openPool(empty.url, 1, createLogger("silent"));
  return await savedRows(database.pool);
}

describe("a backup of a filled database", () => {
  let database: TestDatabase;
  let folder: Folder;
  beforeAll(async () => {
    database = await filledDatabase();
    folder = createFolder();
    await write(database.url, folder);
  });
  afterAll(async () => {
    folder[Symbol.dispose]();
    await database[Symbol.asyncDispose]();
  });

  it("restores every row that cannot be computed again, and nothing else", async () => {
    const expected = await savedRows(database.pool);
    for (const table of ["secrets", "api_keys", "contract_abis", "prices", "raw_traces", "primary_raw_blocks"])
      expect(expected[table]).not.toEqual([]);
    expect(await rowsAfterRestore(folder)).toEqual(expected);
  });

  it("restores ids that count up", async () => {
    await using empty = await createEmptyDatabase("");
    await restore(empty.url, folder);
    await using restored = openPool(empty.url, 1, createLogger("silent"));
    const added = await restored.pool.query(
      "INSERT INTO contract_abis (source, created_at) VALUES ('c.json', 3) RETURNING abi_id",
    );
    expect(added.rows).toEqual([{ abi_id: 3 }]);
    await migrate(empty.url);
  });

  it("writes nothing but the tables again if no block is new", async () => {
    const before = manifestOf(folder);
    const { files } = await write(database.url, folder, { checksHashes: true });
    expect(files).toBe(before.tables.reduce((sum, table) => sum + table.files.length, 0));
    expect(manifestOf(folder).chains).toEqual(before.chains);
  });

  it("can only be read by its owner, except the manifest", () => {
    const { chains, tables } = manifestOf(folder);
    for (const { files } of [...chains, ...tables])
      for (const { path } of files) expect(statSync(join(folder.path, path)).mode & 0o077).toBe(0);
  });

  it("is refused where the database has rows, which then are as before", async () => {
    const before = await savedRows(database.pool);
    await expect(restore(database.url, folder)).rejects.toThrow(
      /^the database is not empty: secrets, chain_heads, chain_progress and \d+ others have rows; restore into an empty database/,
    );
    expect(await savedRows(database.pool)).toEqual(before);
  });

  it("is refused with a flipped byte in a file, which the error names", async () => {
    const manifest = manifestOf(folder);
    const { tables } = manifest;
    const damagedChains = [chainOf(manifest, C_CHAIN), chainOf(manifest, "76001P")];
    const paths = [...damagedChains, tables.find(({ table }) => table === "api_keys")].map(
      (one) => one?.files.at(-1)?.path,
    );
    for (const path of paths.map((one) => one ?? "")) {
      using damaged = copyOfArchive(folder);
      const full = join(damaged.path, path);
      const bytes = readFileSync(full);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(full, bytes);
      await using empty = await createTestDatabase();
      await expect(restore(empty.url, damaged)).rejects.toThrow(
        `"${full}" is damaged: its SHA-256 is not that of the manifest`,
      );
      // No process may work with a part of a backup.
      await expect(migrate(empty.url)).rejects.toThrow(/^the database has only a part of a backup: /);
      await expect(requireMigrated(empty.url)).rejects.toThrow(/^the database has only a part of a backup: /);
      // Tables are written anew by each run.
      if (!path.startsWith("tables/"))
        await expect(write(database.url, damaged, { checksHashes: true })).rejects.toThrow(`"${full}" is damaged`);
    }
  });

  it("continues after an interrupted restore, and only with the same backup", async () => {
    const path = chainOf(manifestOf(folder), "76001P").files[1]?.path ?? "";
    using damaged = copyOfArchive(folder);
    rmSync(join(damaged.path, path));
    await using empty = await createEmptyDatabase("");
    await expect(restore(empty.url, damaged)).rejects.toThrow(`${path}" cannot be read: ENOENT`);
    using other = createFolder();
    await write(database.url, other, { limits: { blocks: 50, bytes: 1 << 20 } });
    await expect(restore(empty.url, other)).rejects.toThrow(
      "the database has a part of another backup, or this backup has changed since",
    );
    await restore(empty.url, folder);
    await using restored = openPool(empty.url, 1, createLogger("silent"));
    expect(await savedRows(restored.pool)).toEqual(await savedRows(database.pool));
  });

  it("can be restored after a later run was interrupted", async () => {
    using copy = copyOfArchive(folder);
    const interrupted = AbortSignal.abort(new Error("interrupted"));
    await expect(write(database.url, copy, { signal: interrupted })).rejects.toThrow("interrupted");
    expect(await rowsAfterRestore(copy)).toEqual(await savedRows(database.pool));
  });

  it("is not replaced by that of a database with fewer blocks, or none", async () => {
    const before = manifestOf(folder);
    await using other = await createTestDatabase();
    await expect(write(other.url, folder)).rejects.toThrow(
      /has chain 760011 up to block \d+, but the database has no block of it: name another directory/,
    );
    await expect(write(database.url, folder, { isArchive: true })).rejects.toThrow(
      /has a backup: name another directory for an archive$/,
    );
    expect(manifestOf(folder)).toEqual(before);
  });

  it("is refused in a directory with other files", async () => {
    using other = createFolder();
    writeFileSync(join(other.path, "letter.txt"), "");
    await expect(write(database.url, other)).rejects.toThrow(/has letter.txt and no manifest.json/);
  });

  it("is refused in a format, and with columns, that this version does not know", async () => {
    using newer = copyOfArchive(folder);
    const manifest = manifestOf(newer);
    const path = join(newer.path, "manifest.json");
    writeFileSync(path, JSON.stringify({ ...manifest, format: 2 }));
    await using empty = await createEmptyDatabase("");
    await expect(restore(empty.url, newer)).rejects.toThrow(
      /has format 2, which a newer version of Moraine has written/,
    );
    const [table] = manifest.tables;
    writeFileSync(path, JSON.stringify({ ...manifest, tables: [{ ...table, columns: ["name", "colour"] }] }));
    await expect(restore(empty.url, newer)).rejects.toThrow(/has a column colour of secrets, which this version/);
  });
});

it("an archive has nothing of the installation", async () => {
  await using database = await filledDatabase();
  using folder = createFolder();
  await write(database.url, folder, { isArchive: true });
  const manifest = manifestOf(folder);
  expect(manifest.tables).toEqual([]);
  expect(readdirSync(folder.path).sort()).toEqual(
    [
      ...new Set(manifest.chains.flatMap(({ files }) => files.map(({ path }) => path.split("/")[0]))),
      "manifest.json",
    ].sort(),
  );
  await using empty = await createEmptyDatabase("");
  await expect(restore(empty.url, folder)).rejects.toThrow(/^this is an archive/);
});

it("backups of a database that is being written end with all of its rows", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  await using database = await createTestDatabase();
  using folder = createFolder();
  const chains = node.recording.manifest.chains.flatMap(({ evmChainId, alias }) =>
    evmChainId ? [[evmChainId, node.head(alias)] as const] : [],
  );
  {
    const config = testConfig({
      evmChains: demoConfig(node.recording.manifest, node.url),
      indexing: { batchBlocks: 8 },
    });
    await using _indexer = startIndexer(config, database.url, createLogger("error"));
    const indexed = { isDone: false };
    const ended = untilIndexed(database, Object.fromEntries(chains)).then(() => {
      indexed.isDone = true;
    });
    let runs = 0;
    for (; !indexed.isDone; runs++) {
      await write(database.url, folder);
      // A backup of any moment can be restored.
      if (runs % 4 === 1) await rowsAfterRestore(folder);
    }
    await ended;
    expect(runs).toBeGreaterThan(1);
  }
  await write(database.url, folder);
  expect(await rowsAfterRestore(folder)).toEqual(await savedRows(database.pool));
});

describe("a backup of a chain that reorganises", () => {
  const CHAIN = "4711";
  const OLD = syntheticChain("old", 150);
  const NEW = syntheticChain("new", 170, undefined, { from: OLD, fork: 120 });

  const refOf = ({ block }: RawBlock) => ({
    number: Number(block.number),
    hash: block.hash.slice(2),
    parentHash: block.parentHash.slice(2),
  });
  const entriesOf = (blocks: readonly RawBlock[], seq: number): Promise<RawBlockEntry[]> =>
    Promise.all(blocks.map((raw, i) => rawBlockEntry(raw, refOf(raw), seq + i)));

  /** Appends entries, and call trees of some of the blocks. */
  async function append({ url }: TestDatabase, entries: readonly RawBlockEntry[], traced: readonly RawBlock[] = []) {
    await using writer = await tryBecomeWriter(url, CHAIN);
    if (!writer) throw new Error("another session writes the chain");
    await createPartitions(writer, CHAIN);
    const traces = await Promise.all(traced.map((raw) => traceEntry(refOf(raw), [])));
    await writer.transaction(async (session) => {
      await appendEntries(session, CHAIN, entries);
      await appendTraces(session, CHAIN, traces);
    });
  }

  const rollback = (raw: RawBlock, seq: number): RawBlockEntry => {
    const { number, hash, parentHash } = refOf(raw);
    return { seq, blockNumber: number, blockHash: hash, parentHash, payload: null };
  };

  it("has the blocks of the new branch, also where files had those of the old one", async () => {
    await using database = await createTestDatabase();
    using folder = createFolder();
    await append(database, await entriesOf(OLD, 1), OLD.slice(0, 140));
    await write(database.url, folder);
    const rangesOf = () => chainOf(manifestOf(folder), CHAIN).files.map(({ from, to, mark }) => [from, to, mark]);
    expect(rangesOf()).toEqual([
      [0, 63, 0],
      [64, 127, 0],
      [128, 149, 10],
    ]);
    const before = chainOf(manifestOf(folder), CHAIN).files;
    // Between the rollback and the next block.
    await append(database, [rollback(OLD[119] as RawBlock, 151)]);
    await write(database.url, folder);
    expect(rangesOf()).toEqual([
      [0, 63, 0],
      [64, 119, 0],
    ]);
    await append(database, await entriesOf(NEW.slice(120), 152));
    await write(database.url, folder);
    expect(rangesOf()).toEqual([
      [0, 63, 0],
      [64, 127, 8],
      [128, 169, 42],
    ]);
    expect(chainOf(manifestOf(folder), CHAIN).files[0]).toEqual(before[0]);
    for (const { path } of before.slice(1)) expect(existsSync(join(folder.path, path))).toBe(false);
    const restored = await rowsAfterRestore(folder);
    const expected = await savedRows(database.pool);
    expect(restored["raw_blocks"]).toEqual(expected["raw_blocks"]);
    expect(restored["raw_blocks"]).toHaveLength(170);
    // Call trees of replaced blocks are left out.
    expect(restored["raw_traces"]).toHaveLength(120);
  });

  it("stops if a stored block is missing or names another parent, and says how it is repaired", async () => {
    await using database = await createTestDatabase();
    await append(database, await entriesOf(OLD, 1));
    await database.pool.query("DELETE FROM raw_blocks WHERE block_number = 100");
    using folder = createFolder();
    await expect(write(database.url, folder)).rejects.toThrow(
      "the stored blocks of chain 4711 do not follow one another: block 100 is missing; `moraine gaps --chain 4711 --repair` fetches missing blocks",
    );
    await append(database, [
      { ...((await entriesOf(NEW.slice(130, 131), 101))[0] as RawBlockEntry), blockNumber: 100 },
    ]);
    await expect(write(database.url, folder)).rejects.toThrow(
      /block 100 names 0x[0-9a-f]{64} as its parent, but the block before it is 0x/,
    );
    expect(manifestOf(folder).isComplete).toBe(false);
    await using empty = await createEmptyDatabase("");
    await expect(restore(empty.url, folder)).rejects.toThrow("the backup is not complete: run moraine backup again");
  });
});

it("a backup gets the call trees that were stored after its blocks", async () => {
  await using database = await indexedAlphaNetwork();
  const { pool, url } = database;
  const { rows: later } = await pool.query(
    `SELECT * FROM raw_traces WHERE chain_id = ${C_CHAIN} AND block_number BETWEEN 60 AND 70`,
  );
  await pool.query(`DELETE FROM raw_traces WHERE chain_id = ${C_CHAIN} AND block_number BETWEEN 60 AND 70`);
  await pool.query(`INSERT INTO untraced_ranges VALUES (${C_CHAIN}, 60, 70)`);
  using folder = createFolder();
  await write(url, folder);
  const marksOf = () => chainOf(manifestOf(folder), C_CHAIN).files.map(({ mark }) => mark);
  expect(marksOf().slice(0, 3)).toEqual([4, 7, 0]);
  for (const { chain_id, block_hash, block_number, payload } of later)
    await pool.query("INSERT INTO raw_traces (chain_id, block_hash, block_number, payload) VALUES ($1, $2, $3, $4)", [
      chain_id,
      block_hash,
      block_number,
      payload,
    ]);
  await pool.query(`DELETE FROM untraced_ranges WHERE chain_id = ${C_CHAIN}`);
  await write(url, folder);
  expect(marksOf()).toEqual([0, 0, 0, 0]);
  expect(await rowsAfterRestore(folder)).toEqual(await savedRows(pool));
});

it("a backup gets the times of vertices that became known after its blocks", async () => {
  await using database = await createTestDatabase();
  await replayInto(database.url, readPrimaryRecording(recordingFolder("delta")));
  using folder = createFolder();
  const limits = { blocks: 20, bytes: 1 << 20 };
  await write(database.url, folder, { limits });
  const [{ id = "" } = {}] = manifestOf(folder).chains;
  const marksOf = () => chainOf(manifestOf(folder), `${id}X`).files.map(({ mark }) => mark);
  expect(marksOf().length).toBeGreaterThan(2);
  expect(marksOf().every((mark) => mark === 0)).toBe(true);
  await database.pool.query(
    "UPDATE primary_raw_blocks SET is_time_known = true, accepted_at = 7 WHERE chain = 'X' AND is_vertex AND seq IN (3, 4, 22)",
  );
  await write(database.url, folder, { limits });
  expect(marksOf().slice(0, 3)).toEqual([2, 1, 0]);
  expect(await rowsAfterRestore(folder)).toEqual(await savedRows(database.pool));
});
