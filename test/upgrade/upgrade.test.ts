import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { placementOf } from "../../core/database/placement.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { outdatedRowsOf } from "../../indexer/outdated-rows.ts";
import { ROUTES } from "../../rest-compat/routes.ts";
import type { Api } from "../conformance/api.ts";
import { createEmptyDatabase } from "../support/database/database.ts";
import { itWithSmallDisk, mountSmallDisk, SMALL_DISK_BYTES } from "../support/database/small-disk.ts";
import { dumpTable } from "../support/database/tables.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { readDump, readDumpFile, restoreDump, writeDumpFile } from "./release-dump.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "./same-answers.ts";

const FOLDER = fileURLToPath(new URL("releases/", import.meta.url));
const SUFFIX = ".json.gz";
/** The release whose dump is written, as it is when a release is made. */
const WRITTEN = process.env["MORAINE_WRITE_RELEASE"];

const RELEASES = readdirSync(FOLDER).flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []));

if (WRITTEN)
  it(`the dump of ${WRITTEN} is written`, async () => {
    await using database = await indexedAlphaNetwork();
    writeDumpFile(FOLDER + WRITTEN + SUFFIX, await readDump(database.pool));
    expect(existsSync(FOLDER + WRITTEN + SUFFIX)).toBe(true);
  });

it("there is a request for every route", () => {
  expect(ROUTE_REQUESTS.map(({ id }) => id).sort()).toEqual(ROUTES.map(({ id }) => id).sort());
});

const describeReleases = WRITTEN ? describe.skip : describe;

describeReleases.each(WRITTEN ? [WRITTEN] : RELEASES)("a database of release %s", (release) => {
  let upgraded: Api;
  let indexed: Api;
  beforeAll(async () => {
    const fresh = await indexedAlphaNetwork();
    const empty = await createEmptyDatabase("");
    await restoreDump(empty.url, readDumpFile(FOLDER + release + SUFFIX));
    const database = await startedOn(empty.url, fresh.config, empty);
    upgraded = await serveAtFixedTime({ ...database, config: fresh.config });
    indexed = await serveAtFixedTime(fresh);
  });
  afterAll(async () => {
    await upgraded[Symbol.asyncDispose]();
    await indexed[Symbol.asyncDispose]();
  });

  it.each(ROUTE_REQUESTS)("answers $id as a database that this version has indexed", async (route) => {
    const answers = await answersOf(upgraded, route);
    expect(answers).toEqual(await answersOf(indexed, route));
    expect(answers[0]).toMatch(/^200 /);
  });
});

describe("before an upgrade", () => {
  const OLDEST = RELEASES[0] ?? "";
  const restored = async () => {
    const empty = await createEmptyDatabase("");
    await restoreDump(empty.url, readDumpFile(FOLDER + OLDEST + SUFFIX));
    return empty;
  };

  it("the operator reads which tables it touches, their rows and sizes, and how long it may take", async () => {
    await using database = await restored();
    const lines: string[] = [];
    await migrate(database.url, (line) => lines.push(line));
    expect(lines).toEqual([
      expect.stringMatching(
        /^the upgrade of the database applies \d+ migrations to (\w+ \([\d,]+ rows, \d+ MB\)(, )?)+: they may take less than a minute and up to \d+ MB of space; the free space of the server is not known here$/,
      ),
    ]);
    expect(await migrate(database.url, (line) => lines.push(line))).toEqual([]);
    expect(lines).toHaveLength(1);
  });

  itWithSmallDisk("it is refused if the disk of an embedded server has too little space", async () => {
    await using database = await restored();
    const place = mkdtempSync(join(tmpdir(), "moraine-upgrade-"));
    {
      using _disk = mountSmallDisk(place);
      writeFileSync(join(place, "full"), Buffer.alloc(SMALL_DISK_BYTES - 8_192));
      const upgrade = migrate(database.url, () => {}, undefined, { directory: place });
      await expect(upgrade).rejects.toThrow(
        /^the disk of the data directory has \d MB free, and the upgrade of the database may need \d+ MB: .* The database was not changed$/,
      );
    }
    rmSync(place, { recursive: true });
    expect((await migrate(database.url, () => {})).length).toBeGreaterThan(0);
  });

  it("the operator reads which rows are computed again, and that the API serves only the new ones meanwhile", async () => {
    await using database = await indexedAlphaNetwork();
    const { pool, config, url } = database;
    const outdated = () => outdatedRowsOf(config, placementOf(config, url), createLogger("silent"));
    const { evmChains, primaryNetworks } = config;
    expect(await outdated()).toEqual([]);
    await pool.query("UPDATE chain_heads SET rows_version = rows_version + 1");
    await pool.query("UPDATE primary_heads SET rows_version = rows_version + 1");
    const rest = /are computed again from its [\d,]+ stored blocks, .* the API serves only the rows that are computed$/
      .source;
    expect(await outdated()).toEqual([
      ...evmChains.map(({ chainId }) => expect.stringMatching(`^the rows of chain ${chainId} ${rest}`)),
      ...primaryNetworks.map(({ networkId }) =>
        expect.stringMatching(`^the rows of the primary network ${networkId} ${rest}`),
      ),
    ]);
  });
});

/** Tables that a migration fills, with which no rows of a released database are computed again. */
const FILLED = ["nft_item_balances", "nft_collection_balances", "erc1155_supplies"] as const;

it.each(RELEASES)(
  "the migrations fill in a database of release %s the rows that this version indexes",
  async (release) => {
    await using fresh = await indexedAlpha();
    await using empty = await createEmptyDatabase("");
    await restoreDump(empty.url, readDumpFile(FOLDER + release + SUFFIX));
    await migrate(empty.url, () => {});
    await using upgraded = openDatabase(empty.url, 1, createLogger("silent"));
    for (const { chainId } of fresh.config.evmChains)
      for (const table of FILLED) {
        const rows = await dumpTable(fresh.pool, chainId, table);
        expect(rows.length).toBeGreaterThan(5);
        expect([chainId, table, await dumpTable(upgraded.pool, chainId, table)]).toEqual([chainId, table, rows]);
      }
  },
);
