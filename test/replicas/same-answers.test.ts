import type { Databases } from "../../core/database/database.ts";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { Api } from "../conformance/api.ts";
import { type Replicated, startReplicated } from "../support/database/replicated.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { until } from "../support/indexed/indexing.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { readDump, restoreDump } from "../upgrade/release-dump.ts";
import { answersOf, CLOCK_MS, ROUTE_REQUESTS, serveAtFixedTime } from "../upgrade/same-answers.ts";

let servers: Replicated;
let alone: Databases;
let plain: Api;
let replicated: Api;
/** Has the standby in place of the primary server, so that whatever writes fails. */
let onStandbyAlone: Stack;

beforeAll(async () => {
  const indexed = await indexedAlphaNetwork();
  servers = await startReplicated();
  const { primary, standby } = servers;
  await restoreDump(primary.url, await readDump(indexed.pool));
  await migrate(primary.url, () => {});
  await servers.caughtUp();
  const database = openDatabase(primary.url, 5, createLogger("error"), { readUrls: [standby.url] });
  await until(
    async () => database.replicas?.states(),
    (states) => states?.[0]?.reason === null,
    "the replica to be used",
  );
  plain = await serveAtFixedTime(indexed);
  replicated = await serveAtFixedTime({
    ...database,
    prisma: database.evm.prisma,
    url: primary.url,
    config: indexed.config,
  });
  await servers.caughtUp();
  alone = openDatabase(standby.url, 5, createLogger("error"));
  onStandbyAlone = await startStack({ database: alone, config: indexed.config, nowMs: () => CLOCK_MS });
});
afterAll(async () => {
  await onStandbyAlone[Symbol.asyncDispose]();
  await alone[Symbol.asyncDispose]();
  await replicated[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
  await servers[Symbol.asyncDispose]();
});

const TUPLES = "SELECT tup_returned FROM pg_stat_database WHERE datname = 'moraine'";

it.each(ROUTE_REQUESTS)("$id is answered from a standby as from one server", async (route) => {
  const answers = await answersOf(replicated, route);
  expect(answers).toEqual(await answersOf(plain, route));
  expect(answers[0]).toMatch(/^200 /);
});

/** Without the signature service and the start of an operation. */
const READS = ROUTE_REQUESTS.filter(({ id }) => !["E1", "E2", "E3"].includes(id));

it.each(READS)("$id writes nothing: all of its pages are read from a server that refuses to write", async (route) => {
  expect(await answersOf(onStandbyAlone, route)).toEqual(await answersOf(plain, route));
});

it("the standby has read the rows", async () => {
  const read = await servers.standby.ask(TUPLES);
  expect(Number(read)).toBeGreaterThan(10_000);
});
