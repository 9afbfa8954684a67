import { readdirSync } from "node:fs";
import { migrate } from "../../core/database/migrate.ts";
import { openSourceDirectory } from "../../indexer/archive/source-directory.ts";
import type { Api } from "../conformance/api.ts";
import { createFolder, importAll, manifestOf, restore, write } from "../support/archive/archives.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "./same-answers.ts";

const FOLDERS = { backup: createFolder(), archive: createFolder() };
afterAll(() => {
  for (const folder of Object.values(FOLDERS)) folder[Symbol.dispose]();
});

describe.each(["backup", "archive"] as const)("a database from the %s of another one", (kind) => {
  let copy: Api;
  let original: Api;
  beforeAll(async () => {
    const fresh = await indexedAlphaNetwork();
    const folder = FOLDERS[kind];
    await write(fresh.url, folder, { isArchive: kind === "archive" });
    const empty = await createEmptyDatabase("");
    if (kind === "backup") await restore(empty.url, folder);
    else {
      await migrate(empty.url, () => {});
      await importAll(empty.url, openSourceDirectory(folder.path), fresh.config);
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
    const { chains } = manifestOf(FOLDERS[kind]);
    expect(chains.map(({ table, id, chain }) => `${table} ${id}${chain}`).sort()).toContain("raw_blocks 760011");
    expect(chains.find(({ id }) => id === "760011")?.files.length).toBeGreaterThan(2);
  });
});

it("an archive has nothing of the installation: no table, no secret, no key", () => {
  expect(readdirSync(FOLDERS.archive.path).filter((name) => !/^(evm|primary)-/.test(name))).toEqual(["manifest.json"]);
  expect(manifestOf(FOLDERS.archive)).toMatchObject({ kind: "archive", tables: [] });
});
