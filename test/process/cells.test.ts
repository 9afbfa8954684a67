import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../core/config/config-schema.ts";
import { openPool } from "../../core/database/database.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { placementOf } from "../../core/database/placement.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { C_CHAIN, followAlpha, L1 } from "../support/indexed/alpha-cells.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { until } from "../support/indexed/indexing.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "../upgrade/same-answers.ts";
import { ended, run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-cells-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environment of commands over these settings. */
function environmentOf(name: string, { evmChains, primaryNetworks }: Config, main: TestDatabase) {
  const MORAINE_CONFIG = join(folder, `${name}.json`);
  const settings = {
    evmChains: evmChains.map(({ chainId, network, chainName, nodeUrl, databaseUrl }) => ({
      chainId,
      network,
      chainName,
      nodeUrl,
      databaseUrl,
    })),
    primaryNetworks: primaryNetworks.map(({ network, networkId, nodeUrl, genesisFile, upgradesFile, databaseUrl }) => ({
      network,
      networkId,
      nodeUrl,
      genesisFile,
      upgradesFile,
      databaseUrl,
    })),
  };
  writeFileSync(MORAINE_CONFIG, JSON.stringify(settings));
  return { MORAINE_CONFIG, DATABASE_URL: main.url };
}

const done = (text: RegExp) => ({ code: 0, output: expect.stringMatching(text) });

it("chains and a primary network move to another database by commands, and every answer is as before", async () => {
  const main = await indexedAlphaNetwork();
  await using other = await createTestDatabase();
  const { config } = main;
  const networkId = String(config.primaryNetworks[0]?.networkId);
  const moved = {
    ...config,
    evmChains: config.evmChains.map((chain) => ({ ...chain, databaseUrl: other.url })),
    primaryNetworks: config.primaryNetworks.map((one) => ({ ...one, databaseUrl: other.url })),
  };
  const [before, after] = [environmentOf("before", config, main), environmentOf("after", moved, main)];
  const [ofNetwork, ofL1] = [join(folder, "network"), join(folder, "l1")];
  const network = ["--chain", String(C_CHAIN), "--network-id", networkId];
  expect(await ended("backup", [...network, "--to", ofNetwork], before)).toEqual(done(/files with .* written/));
  expect(await ended("backup", ["--chain", String(L1), "--to", ofL1], before)).toEqual(done(/files with .* written/));
  // The chain is still there.
  expect(await ended("restore", ["--from", ofL1], before)).toEqual({
    code: 1,
    output: expect.stringMatching(/^the database has rows of chain 760012: .*; set databaseUrl of the chain/),
  });
  expect(await ended("restore", ["--from", ofNetwork], after)).toEqual(done(/^chain 760011: up to block 234/));
  // The database has other chains now.
  expect(await ended("restore", ["--from", ofL1], after)).toEqual(done(/^chain 760012: up to block \d+/));
  await followAlpha(moved, main.url, { ofNetwork: other, ofL1: other });
  for (const which of [
    ["--chain", String(C_CHAIN)],
    ["--chain", String(L1)],
    ["--network-id", networkId],
  ])
    expect(await ended("drop", [...which, "--database", "main", "--yes"], after)).toEqual(done(/MB deleted/));
  expect((await main.pool.query("SELECT FROM evm_transactions LIMIT 1")).rowCount).toBe(0);
  for (const [options, hint] of [
    [[], /because it is in another database: chain 760011\n[\s\S]*Save it with --chain or --network-id/],
    [["--raw"], /chain 760012\n[\s\S]*Write an archive of its database with --database-url/],
  ] as const)
    expect(await ended("backup", [...options, "--to", join(folder, `main${options.length}`)], after)).toEqual(
      done(hint),
    );
  const { code, output } = await ended("status --json", [], after);
  // The indexer does not run.
  expect(code).toBe(1);
  const status = JSON.parse(output) as {
    readonly databases: object[];
    readonly chains: { readonly blockNumber: number | null }[];
  };
  expect([status.databases.length, status.chains.map(({ blockNumber }) => blockNumber)]).toEqual([
    2,
    [234, expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
  ]);
  expect(output).not.toContain("password");

  const empty = await createEmptyDatabase("");
  await using plain = await serveAtFixedTime({ ...(await startedOn(empty.url, config, empty)), config });
  const databases = openDatabase(main.url, 5, createLogger("silent"), { placement: placementOf(moved, main.url) });
  await using served = await serveAtFixedTime({
    ...databases,
    prisma: databases.evm.prisma,
    url: main.url,
    config: moved,
    async [Symbol.asyncDispose]() {
      await databases[Symbol.asyncDispose]();
      await main[Symbol.asyncDispose]();
    },
  });
  for (const route of ROUTE_REQUESTS)
    expect([route.id, await answersOf(served, route)]).toEqual([route.id, await answersOf(plain, route)]);
}, 240_000);

it("a C-Chain in another database than its primary network is refused", async () => {
  await using main = await indexedAlphaNetwork();
  await using other = await createTestDatabase();
  const primaryNetworks = main.config.primaryNetworks.map((one) => ({ ...one, databaseUrl: other.url }));
  const { output } = await ended("check --json", [], environmentOf("apart", { ...main.config, primaryNetworks }, main));
  expect(output).toContain(
    `chain ${C_CHAIN} is the C-Chain of the primary network fuji, which is in another database (setting primaryNetworks.0.databaseUrl): both must name the same one`,
  );
});

it("a start makes the tables of all databases, indexes each chain into its own, and serves all; other databases need another start", async () => {
  await using node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  await using main = await createEmptyDatabase("");
  await using ofL1 = await createEmptyDatabase("");
  const chains = demoConfig(node.recording.manifest, node.url) as { readonly chainId: number }[];
  const settingsFor = (url: string) => ({
    port: 0,
    exports: { isOn: false },
    evmChains: chains.map((chain) => (chain.chainId === L1 ? { ...chain, databaseUrl: url } : chain)),
  });
  const MORAINE_CONFIG = join(folder, "start.json");
  const write = (settings: object) => writeFileSync(MORAINE_CONFIG, JSON.stringify(settings));
  write(settingsFor(ofL1.url));
  const MORAINE_DATA = join(folder, "data");
  await using service = await run("start", { MORAINE_CONFIG, MORAINE_DATA, DATABASE_URL: main.url });
  const [, url = ""] = await service.until(/Moraine answers on (\S+)/);
  const blocksOf = async (chainId: number) => (await fetch(`${url}/v1/chains/${chainId}/blocks`)).status;
  for (const chainId of [C_CHAIN, L1])
    await until(
      () => blocksOf(chainId),
      (status) => status === 200,
      `the blocks of chain ${chainId}`,
    );
  await using database = openPool(ofL1.url, 1, createLogger("silent"));
  const { rows } = await database.pool.query<{ chain_id: string }>("SELECT chain_id FROM chain_heads");
  expect(rows.map(({ chain_id }) => Number(chain_id))).toEqual([L1]);
  expect(service.output()).toMatch(/sessions \(API in [^)]*, indexer in [^)]*\)/);
  write(settingsFor(main.url));
  process.kill(service.child.pid ?? 0, "SIGHUP");
  await service.until(/a chain or network has another database .*: start Moraine again/);
  expect(await blocksOf(L1)).toBe(200);
}, 180_000);
