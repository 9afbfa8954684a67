import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger } from "../../core/observability/logger.ts";
import { writeBackup } from "../../indexer/archive/backup.ts";
import { importEvmChain } from "../../indexer/archive/import-evm.ts";
import { importPrimaryNetwork } from "../../indexer/archive/import-primary.ts";
import { restoreBackup } from "../../indexer/archive/restore.ts";
import { openSourceDirectory } from "../../indexer/archive/source-directory.ts";
import type { Api } from "../conformance/api.ts";
import { testConfig } from "../support/config.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "./same-answers.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const silent = { signal, report: () => {} };
/** Small, so that chains have several files. */
const limits = { blocks: 64, bytes: 1 << 20 };

/** Writes the backup or the archive of a database. */
async function written(url: string, isArchive: boolean): Promise<string> {
  const directory = join(folder, isArchive ? "archive" : "backup");
  await writeBackup({ url, directory, isArchive, checksHashes: false, limits, ...silent });
  return directory;
}

async function restored(url: string, directory: string): Promise<void> {
  await restoreBackup({ url, source: openSourceDirectory(directory), ...silent });
}

/** Imports the archive of all chains, without a node. */
async function imported(url: string, directory: string, { evmChains, primaryNetworks }: Api["config"]): Promise<void> {
  const { indexing } = testConfig();
  const source = openSourceDirectory(directory);
  const deps = { url, source, indexing, logger: createLogger("silent"), ...silent };
  const { chains } = source.manifest;
  for (const chain of evmChains) {
    const archived = chains.find(({ id, table }) => table === "raw_blocks" && id === String(chain.chainId));
    if (!archived) throw new Error(`the archive lacks chain ${chain.chainId}`);
    const nodeless = { ...chain, nodeUrl: "http://127.0.0.1:1" };
    expect(await importEvmChain(deps, nodeless, archived)).toMatchObject({ last: archived.files.at(-1)?.to });
  }
  for (const settings of primaryNetworks) {
    const own = chains.filter(({ table }) => table === "primary_raw_blocks");
    await importPrimaryNetwork(deps, { settings, evmChains, chains: own });
  }
}

describe.each(["backup", "archive"] as const)("a database from the %s of another one", (kind) => {
  let copy: Api;
  let original: Api;
  beforeAll(async () => {
    const fresh = await indexedAlphaNetwork();
    const directory = await written(fresh.url, kind === "archive");
    const empty = await createEmptyDatabase("");
    if (kind === "backup") await restored(empty.url, directory);
    else {
      const { migrate } = await import("../../core/database/migrate.ts");
      await migrate(empty.url, () => {});
      await imported(empty.url, directory, fresh.config);
    }
    const database = await startedOn(empty.url, fresh.config, empty);
    copy = await serveAtFixedTime({ ...database, config: fresh.config });
    original = await serveAtFixedTime(fresh);
  });
  afterAll(async () => {
    await copy[Symbol.asyncDispose]();
    await original[Symbol.asyncDispose]();
  });

  it.each(ROUTE_REQUESTS)("answers $id as the original", async (route) => {
    const answers = await answersOf(copy, route);
    expect(answers).toEqual(await answersOf(original, route));
    expect(answers[0]).toMatch(/^200 /);
  });

  it("is written as several files for each chain", () => {
    const { chains } = openSourceDirectory(join(folder, kind)).manifest;
    expect(chains.map(({ table, id, chain }) => `${table} ${id}${chain}`).sort()).toContain("raw_blocks 760011");
    expect(chains.find(({ id }) => id === "760011")?.files.length).toBeGreaterThan(2);
  });
});

it("an archive has nothing of the installation: no table, no secret, no key", () => {
  const directory = join(folder, "archive");
  expect(readdirSync(directory).filter((name) => !/^(evm|primary)-/.test(name))).toEqual(["manifest.json"]);
  expect(JSON.parse(readFileSync(join(directory, "manifest.json"), "utf8"))).toMatchObject({
    kind: "archive",
    tables: [],
  });
});
