import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { outdatedRows } from "../../indexer/outdated-rows.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { ROUTES } from "../../rest-compat/routes.ts";
import { type Api, serveIndexed } from "../conformance/api.ts";
import { sending, withQuery } from "../conformance/every-route.ts";
import type { AnyRoute } from "../conformance/rule.ts";
import { RULES } from "../conformance/rules.ts";
import { testConfig } from "../support/config.ts";
import { createEmptyDatabase, type TestDatabase } from "../support/database/database.ts";
import { itWithSmallDisk, mountSmallDisk, SMALL_DISK_BYTES } from "../support/database/small-disk.ts";

import { dumpTable } from "../support/database/tables.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { indexedAlpha, untilIndexed } from "../support/indexed/indexed.ts";
import { until } from "../support/indexed/indexing.ts";
import { type ReleaseDump, readDump, readDumpFile, restoreDump, writeDumpFile } from "./release-dump.ts";

const FOLDER = fileURLToPath(new URL("releases/", import.meta.url));
const SUFFIX = ".json.gz";
/** The release whose dump is written, as it is when a release is made. */
const WRITTEN = process.env["MORAINE_WRITE_RELEASE"];

const RELEASES = readdirSync(FOLDER).flatMap((file) => (file.endsWith(SUFFIX) ? [file.slice(0, -SUFFIX.length)] : []));
const ROUTE_REQUESTS = RULES.flatMap(({ route }) => route ?? []);

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
    const database = await upgradedDatabase(readDumpFile(FOLDER + release + SUFFIX), fresh.config);
    upgraded = await serveIndexed({ ...database, config: fresh.config }, { signatures: true, nowMs: () => CLOCK_MS });
    indexed = await serveIndexed(fresh, { signatures: true, nowMs: () => CLOCK_MS });
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
      const upgrade = migrate(database.url, () => {}, undefined, place);
      await expect(upgrade).rejects.toThrow(
        /^the disk of the data directory has \d MB free, and the upgrade of the database may need \d+ MB: .* The database was not changed$/,
      );
    }
    rmSync(place, { recursive: true });
    expect((await migrate(database.url, () => {})).length).toBeGreaterThan(0);
  });

  it("the operator reads which rows are computed again, and that the API serves only the new ones meanwhile", async () => {
    await using database = await indexedAlphaNetwork();
    const { pool, config } = database;
    const { evmChains, primaryNetworks } = config;
    expect(await outdatedRows(pool, config)).toEqual([]);
    await pool.query("UPDATE chain_heads SET rows_version = rows_version + 1");
    await pool.query("UPDATE primary_heads SET rows_version = rows_version + 1");
    const rest = /are computed again from its [\d,]+ stored blocks, .* the API serves only the rows that are computed$/
      .source;
    expect(await outdatedRows(pool, config)).toEqual([
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

/** Later than every time of the recording, so that links and prices do not depend on the clock. */
const CLOCK_MS = Date.UTC(2027, 0, 1);

/** A database of an earlier release, after the start of this version on it. */
async function upgradedDatabase(
  dump: ReleaseDump,
  { evmChains, primaryNetworks }: Api["config"],
): Promise<TestDatabase> {
  const empty = await createEmptyDatabase("");
  await restoreDump(empty.url, dump);
  await migrate(empty.url, () => {});
  const database = openDatabase(empty.url, 5, createLogger("silent"));
  const node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  {
    const networks = primaryNetworks.map((one) => ({ ...one, nodeUrl: node.url }));
    const config = { ...testConfig(), evmChains, primaryNetworks: networks };
    await using _indexer = startIndexer(config, empty.url, createLogger("error"));
    const { chains } = node.recording.manifest;
    await untilIndexed(
      { ...database, url: empty.url },
      Object.fromEntries(
        chains.flatMap(({ evmChainId, alias }) => (evmChainId ? [[evmChainId, node.head(alias)]] : [])),
      ),
    );
    const states = "SELECT chain, state FROM primary_progress";
    await until(
      async () => (await database.pool.query<{ state: string }>(states)).rows.map(({ state }) => state),
      (found) => found.length === 3 && found.every((state) => state === "FOLLOWING"),
      "the primary network to follow its node",
    );
  }
  return {
    ...database,
    url: empty.url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await node[Symbol.asyncDispose]();
      await empty[Symbol.asyncDispose]();
    },
  };
}

/** Values that differ from one start of an operation, and from one database, to another. */
const OWN_VALUES = /("nextPageToken"|"operationId"|"createdAtTimestamp"|"updatedAtTimestamp"):("[^"]*"|\d+)/g;

/** The answers of a route: that of its request, and all pages of a list. */
async function answersOf(api: Api, route: AnyRoute): Promise<string[]> {
  const send = sending(route);
  const answers: string[] = [];
  for (let token: string | undefined = ""; token !== undefined; ) {
    const more = token === "" ? "" : `pageToken=${encodeURIComponent(token)}`;
    const { status, text, body } = await send(api, withQuery(route.path, route.query, more));
    answers.push(`${status} ${text.replaceAll(OWN_VALUES, "$1")}`);
    token = (body as { readonly nextPageToken?: string }).nextPageToken;
  }
  return answers;
}
