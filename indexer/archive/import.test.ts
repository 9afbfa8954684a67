import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Config } from "../../core/config/config-schema.ts";
import { COLUMNS } from "../../prisma/columns.ts";
import {
  chainOf,
  copyOfArchive,
  createFolder,
  type Folder,
  forgeFile,
  importAll,
  manifestOf,
  SMALL_FILES,
  write,
} from "../../test/support/archive/archives.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database/database.ts";
import { hashTables } from "../../test/support/database/tables.ts";
import { indexedAlphaNetwork, servedNetworks } from "../../test/support/indexed/alpha-network.ts";
import { replayInto } from "../../test/support/indexed/replayed-primary.ts";
import { readPrimaryRecording } from "../../test/support/recorded/primary-recording.ts";
import { recordingFolder } from "../../test/support/recorded/primary-vectors.ts";
import { verifyHeaderHash } from "../evm/fetch/header-hash.ts";
import { blockPayloads } from "../evm/raw-blocks/block-payload.ts";
import { packFile, packPart, unpackRows } from "./binary-file.ts";
import { EVM_COLUMNS, type EvmRow } from "./evm-store.ts";
import type { BlockFile } from "./manifest.ts";
import { PRIMARY_COLUMNS, type PrimaryRow } from "./primary-store.ts";
import { openSourceDirectory } from "./source-directory.ts";
import { openSourceUrl } from "./source-url.ts";

const C_CHAIN = 760_011;

/** Changes the rows of a file in an archive, and hides the change. */
async function forgeRows<Row extends object>(
  folder: Folder,
  path: string,
  columns: typeof EVM_COLUMNS | typeof PRIMARY_COLUMNS,
  id: string,
  change: (rows: Row[]) => Promise<Row[]> | Row[],
): Promise<void> {
  const rows = await change(await unpackRows<Row>(columns, readFileSync(join(folder.path, path))));
  const forged = await packFile([packPart(columns, id, rows)]);
  forgeFile(folder, path, () => forged);
}

interface Stored {
  readonly block: Readonly<Record<string, unknown>>;
  readonly receipts: readonly unknown[];
}

describe("an archive of the recording alpha", () => {
  let original: TestDatabase & { readonly config: Config };
  let folder: Folder;
  let config: Config;
  beforeAll(async () => {
    original = await indexedAlphaNetwork();
    config = original.config;
    folder = createFolder();
    await write(original.url, folder, { isArchive: true });
  });
  afterAll(async () => {
    folder[Symbol.dispose]();
    await original[Symbol.asyncDispose]();
  });

  const cChain = (): Config => ({
    ...config,
    evmChains: config.evmChains.filter(({ chainId }) => chainId === C_CHAIN),
    primaryNetworks: [],
  });
  const headOf = async ({ pool }: TestDatabase) =>
    Number(
      (await pool.query("SELECT block_number FROM chain_heads WHERE chain_id = $1", [C_CHAIN])).rows[0]?.block_number ??
        -1,
    );
  /** The path of the file that has a block of the C-Chain. */
  const pathOf = (number: number): string =>
    chainOf(manifestOf(folder), String(C_CHAIN)).files.find(({ from, to }) => from <= number && number <= to)?.path ??
    "";

  it("gives every chain up to its last block, without a node", async () => {
    await using database = await createTestDatabase();
    const imported = await importAll(database.url, openSourceDirectory(folder.path), config);
    expect(imported.map(({ name, last }) => [name, last])).toEqual([
      ["chain 760011", 234],
      expect.arrayContaining([expect.stringMatching(/^chain /)]),
      ["P-Chain of network 76001", chainOf(manifestOf(folder), "76001P").files.at(-1)?.to],
      ["X-Chain of network 76001", chainOf(manifestOf(folder), "76001X").files.at(-1)?.to],
    ]);
    expect(await headOf(database)).toBe(234);
  });

  it("continues a chain that has some of its blocks, and leaves out what is there", async () => {
    await using database = await createTestDatabase();
    using short = createFolder();
    await write(original.url, short, { isArchive: true });
    // A published archive that ends with the second file.
    const manifest = manifestOf(short);
    const chain = chainOf(manifest, String(C_CHAIN));
    chain.files.splice(2);
    writeFileSync(join(short.path, "manifest.json"), JSON.stringify(manifest));
    expect(await importAll(database.url, openSourceDirectory(short.path), cChain())).toEqual([
      { name: "chain 760011", blocks: 128, last: 127 },
    ]);
    expect(await importAll(database.url, openSourceDirectory(short.path), cChain())).toEqual([
      { name: "chain 760011", blocks: 0, last: 127 },
    ]);
    const source = openSourceDirectory(folder.path);
    const read: string[] = [];
    const watched = {
      ...source,
      read(file: Parameters<typeof source.read>[0]) {
        read.push(file.path);
        return source.read(file);
      },
    };
    expect(await importAll(database.url, watched, cChain())).toEqual([
      { name: "chain 760011", blocks: 107, last: 234 },
    ]);
    expect(read).toEqual([pathOf(127), pathOf(128), pathOf(192)]);
    // The archive that ends earlier agrees with what is indexed.
    expect(await importAll(database.url, openSourceDirectory(short.path), cChain())).toMatchObject([{ blocks: 0 }]);
    const rows = await hashTables(database.pool, C_CHAIN);
    const expected = await hashTables(original.pool, C_CHAIN);
    for (const table of [
      "evm_blocks",
      "evm_transactions",
      "evm_logs",
      "evm_internal_transactions",
      "erc20_holders",
    ] as const)
      expect(rows[table]).toEqual(expected[table]);
  });

  it("is refused where another branch is indexed, and changes nothing", async () => {
    await using database = await createTestDatabase();
    await importAll(database.url, openSourceDirectory(folder.path), cChain());
    using other = copyOfArchive(folder);
    await forgeRows<EvmRow>(other, pathOf(234), EVM_COLUMNS, String(C_CHAIN), async (rows) => {
      const last = rows.at(-1) as EvmRow;
      const stored = (await blockPayloads.decode(last.payload)) as Stored;
      const block = { ...stored.block, hash: `0x${"5".repeat(64)}` };
      return [...rows.slice(0, -1), { ...last, payload: await blockPayloads.encode({ ...stored, block }) }];
    });
    const before = await hashTables(database.pool, C_CHAIN);
    await expect(importAll(database.url, openSourceDirectory(other.path), cChain())).rejects.toThrow(
      new RegExp(
        `^chain 760011, file ${pathOf(234)} of the archive: block 234 is 0x5{64}, but 0x[0-9a-f]{64} is indexed$`,
      ),
    );
    expect(await hashTables(database.pool, C_CHAIN)).toEqual(before);
  });

  const OTHER = `0x${"6".repeat(64)}`;
  const withBlock = (stored: Stored, members: Readonly<Record<string, unknown>>): Stored => ({
    ...stored,
    block: { ...stored.block, ...members },
  });

  function withTransaction(stored: Stored, changed: Readonly<Record<string, unknown>>): Stored {
    const [first, ...others] = stored.block["transactions"] as object[];
    return withBlock(stored, { transactions: [{ ...first, ...changed }, ...others] });
  }

  /** What someone changes in block 130, and the reason why it is refused. */
  const FORGERIES: readonly (readonly [string, (stored: Stored) => Stored, RegExp])[] = [
    [
      "another state",
      (stored) => withBlock(stored, { stateRoot: OTHER }),
      /the hash of block 130, computed from its header, is 0x/,
    ],
    ["another hash", (stored) => withBlock(stored, { hash: OTHER }), /block 130/],
    [
      "another number",
      (stored) => withBlock(stored, { number: "0x83" }),
      /the archive returned block "0x83" for block 130/,
    ],
    [
      "no receipts",
      (stored) => ({ ...stored, receipts: [] }),
      /block 130 has \d+ transactions, but the archive gave 0 receipts/,
    ],
    [
      "another amount",
      (stored) => withTransaction(stored, { value: "0x7" }),
      /transactionsRoot of block 130, computed from its transactions, is/,
    ],
    [
      "another status of a transaction",
      ({ block, receipts: [first, ...others] }) => ({
        block,
        receipts: [{ ...(first as object), status: "0x0" }, ...others],
      }),
      /receiptsRoot of block 130, computed from its receipts, is/,
    ],
    [
      "another parent and the hash of its header",
      (stored) => withRightHash(withBlock(stored, { parentHash: OTHER })),
      /block 130 names 0x6{64} as its parent, but the block before it is 0x/,
    ],
  ];

  /** The stored block, whose places name its hash, with the hash of its header. */
  function withRightHash(stored: Stored): Stored {
    const { hash } = stored.block;
    try {
      verifyHeaderHash(stored.block as never);
      return stored;
    } catch (error) {
      const [, right = ""] = /, is (0x[0-9a-f]{64}),/.exec(String(error)) ?? [];
      return JSON.parse(JSON.stringify(stored).replaceAll(String(hash), right)) as Stored;
    }
  }

  it.each(FORGERIES)("is refused at a block with %s, and keeps the blocks before it", async (_, change, reason) => {
    using forged = copyOfArchive(folder);
    await forgeRows<EvmRow>(forged, pathOf(130), EVM_COLUMNS, String(C_CHAIN), (rows) =>
      Promise.all(
        rows.map(async (row) => {
          if (row.block_number !== 130) return row;
          const stored = (await blockPayloads.decode(row.payload)) as Stored;
          return { ...row, payload: await blockPayloads.encode(change(stored)) };
        }),
      ),
    );
    await using database = await createTestDatabase();
    const importing = importAll(database.url, openSourceDirectory(forged.path), cChain());
    await expect(importing).rejects.toThrow(`chain 760011, file ${pathOf(130)} of the archive: `);
    await expect(importing).rejects.toThrow(reason);
    expect(await headOf(database)).toBe(129);
  });

  it("is refused at a block that is whole but not the next one", async () => {
    using forged = copyOfArchive(folder);
    await forgeRows<EvmRow>(forged, pathOf(130), EVM_COLUMNS, String(C_CHAIN), (rows) => {
      const [first, second, ...others] = rows as [EvmRow, EvmRow];
      // Block 129 in the place of block 128.
      return [{ ...second, block_number: 128 }, first, ...others];
    });
    await using database = await createTestDatabase();
    await expect(importAll(database.url, openSourceDirectory(forged.path), cChain())).rejects.toThrow(
      /the archive returned block "0x81" for block 128/,
    );
    expect(await headOf(database)).toBe(127);
  });

  it("is refused at a call tree of another transaction", async () => {
    using forged = copyOfArchive(folder);
    await forgeRows<EvmRow>(forged, pathOf(130), EVM_COLUMNS, String(C_CHAIN), (rows) =>
      rows.map((row) => (row.block_number === 150 ? { ...row, traces: rows[0]?.traces ?? null } : row)),
    );
    await using database = await createTestDatabase();
    await expect(importAll(database.url, openSourceDirectory(forged.path), cChain())).rejects.toThrow(
      /(trace \d+ of block 150|block 150 has \d+ transactions, but \d+ call trees)/,
    );
    expect(await headOf(database)).toBe(149);
  });

  it("is refused with a file whose hash is not that of the manifest", async () => {
    using damaged = copyOfArchive(folder);
    const full = join(damaged.path, pathOf(130));
    writeFileSync(full, readFileSync(full).subarray(0, -1));
    await using database = await createTestDatabase();
    await expect(importAll(database.url, openSourceDirectory(damaged.path), cChain())).rejects.toThrow(
      `"${full}" is damaged`,
    );
    expect(await headOf(database)).toBe(127);
  });

  describe("at a URL", () => {
    /** A server that ends the connection after some bytes of the first answers for files, and does not know ranges on demand. */
    async function startServer({ cuts = 0, hasRanges = true, status = 200 } = {}) {
      const requests: string[] = [];
      let left = cuts;
      const server = createServer((request, response) => {
        const path = join(folder.path, decodeURIComponent((request.url ?? "").replace("/archive/", "")));
        const { range } = request.headers;
        requests.push(`${request.url?.replace("/archive/", "")} ${range ?? "whole"}`);
        if (!existsSync(path) || statSync(path).isDirectory()) return void response.writeHead(404).end();
        const isFile = !path.endsWith("manifest.json");
        if (isFile && status !== 200) return void response.writeHead(status).end();
        const bytes = readFileSync(path);
        const start = hasRanges ? Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0) : 0;
        const part = bytes.subarray(start);
        response.writeHead(start > 0 ? 206 : 200, {
          "content-length": part.length,
          ...(start > 0 && { "content-range": `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
        });
        if (!isFile || left-- <= 0) return void response.end(part);
        response.write(part.subarray(0, part.length >> 1), () => setTimeout(() => response.destroy(), 20));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      return {
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/archive`,
        requests,
        /** From now on, all answers are complete. */
        heal() {
          left = 0;
        },
        async [Symbol.asyncDispose]() {
          server.closeAllConnections();
          server.close();
        },
      };
    }

    const opened = (url: string, downloads: string) =>
      openSourceUrl({ url, downloads, signal: new AbortController().signal, pauseMs: 1 });

    it.each([true, false])("goes on where an interrupted download ended (ranges: %s)", async (hasRanges) => {
      await using server = await startServer({ cuts: 3, hasRanges });
      await using database = await createTestDatabase();
      using downloads = createFolder();
      const source = await opened(server.url, downloads.path);
      expect(await importAll(database.url, source, cChain())).toMatchObject([{ blocks: 235, last: 234 }]);
      const [first = ""] = chainOf(manifestOf(folder), String(C_CHAIN)).files.map(({ path }) => path);
      const ofFirst = server.requests.filter((request) => request.startsWith(first));
      expect(ofFirst.length).toBeGreaterThan(1);
      expect(ofFirst.slice(1).every((request) => / bytes=[1-9]\d*-$/.test(request))).toBe(true);
      // Only what is not loaded into the database stays on the disk.
      const kept = readdirSync(downloads.path, { recursive: true, encoding: "utf8" }).filter((name) => /gz/.test(name));
      expect(kept.length).toBeLessThanOrEqual(1);
    });

    it("goes on in another process: complete files are not loaded again, parts only from their end", async () => {
      using downloads = createFolder();
      await using database = await createTestDatabase();
      await using server = await startServer({ cuts: 100 });
      const [first, second] = chainOf(manifestOf(folder), String(C_CHAIN)).files as [BlockFile, BlockFile];
      {
        const source = await opened(server.url, downloads.path);
        await source.read(second).catch(() => {});
        server.heal();
        await source.read(first);
      }
      server.requests.length = 0;
      const source = await opened(server.url, downloads.path);
      expect(await importAll(database.url, source, cChain())).toMatchObject([{ blocks: 235, last: 234 }]);
      expect(server.requests.filter((request) => request.startsWith(first.path))).toEqual([]);
      expect(server.requests.filter((request) => request.startsWith(second.path))).toEqual([
        expect.stringMatching(/ bytes=[1-9]\d*-$/),
      ]);
    });

    it("names the file and the status that the server answers", async () => {
      await using server = await startServer({ status: 403 });
      await using database = await createTestDatabase();
      using downloads = createFolder();
      const source = await opened(server.url, downloads.path);
      await expect(importAll(database.url, source, cChain())).rejects.toThrow(
        `${server.url}/${pathOf(0)} cannot be loaded: the server answered with status 403`,
      );
      await expect(opened(`${server.url}/nowhere`, downloads.path)).rejects.toThrow(
        `${server.url}/nowhere/manifest.json cannot be loaded: the server answered with status 404`,
      );
    });
  });
});

describe("an archive of a network with vertices", () => {
  const DELTA = recordingFolder("delta");
  let original: TestDatabase;
  let folder: Folder;
  const config = { ...testConfig(), primaryNetworks: servedNetworks(DELTA) };
  const id = String(config.primaryNetworks[0]?.networkId);
  beforeAll(async () => {
    original = await createTestDatabase();
    await replayInto(original.url, readPrimaryRecording(DELTA));
    folder = createFolder();
    await write(original.url, folder, { isArchive: true, limits: { ...SMALL_FILES, blocks: 20 } });
  });
  afterAll(async () => {
    folder[Symbol.dispose]();
    await original[Symbol.asyncDispose]();
  });

  it("gives the same raw blocks, and the same rows of P- and X-Chain", async () => {
    await using database = await createTestDatabase();
    await importAll(database.url, openSourceDirectory(folder.path), config);
    for (const table of ["primary_raw_blocks", "primary_blocks", "x_chain_vertices", "stakers", "subnets"] as const) {
      const columns = Object.keys(COLUMNS[table]).join(", ");
      const text = `SELECT md5(string_agg(row_to_json(t)::text, '|' ORDER BY row_to_json(t)::text)) AS hash, count(*)
        FROM (SELECT ${columns} FROM ${table} WHERE ${table === "primary_blocks" ? "chain <> 'C'" : "true"}) t`;
      const [own, expected] = [await database.pool.query(text), await original.pool.query(text)];
      expect([table, own.rows]).toEqual([table, expected.rows]);
    }
  });

  it.each([
    [
      "P",
      "a changed byte",
      (rows: PrimaryRow[]) => rows.map((row, i) => (i === 5 ? { ...row, payload: flipped(row.payload) } : row)),
    ],
    ["P", "a missing block", (rows: PrimaryRow[]) => rows.filter((_, i) => i !== 5)],
    [
      "X",
      "a changed vertex",
      (rows: PrimaryRow[]) => rows.map((row, i) => (i === 5 ? { ...row, payload: flipped(row.payload) } : row)),
    ],
    ["X", "a vertex less", (rows: PrimaryRow[]) => rows.slice(0, -1)],
  ] as const)("of the %s-Chain is refused with %s", async (chain, _, change) => {
    using forged = copyOfArchive(folder);
    const path = chainOf(manifestOf(forged), id + chain).files[1]?.path ?? "";
    await forgeRows<PrimaryRow>(forged, path, PRIMARY_COLUMNS, id, (rows) => change(rows));
    await using database = await createTestDatabase();
    await expect(importAll(database.url, openSourceDirectory(forged.path), config)).rejects.toThrow(
      new RegExp(`^${chain}-Chain of network ${id}, file (${path}|\\S+) of the archive: `),
    );
    const { rows } = await database.pool.query(
      `SELECT max(seq) AS last FROM primary_raw_blocks WHERE chain = '${chain}'`,
    );
    expect(Number(rows[0].last)).toBeLessThan(40);
  });

  const flipped = (bytes: Buffer): Buffer => {
    const copy = Buffer.from(bytes);
    copy[copy.length - 20] = (copy[copy.length - 20] ?? 0) ^ 1;
    return copy;
  };
});
