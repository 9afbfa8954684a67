import type { Config } from "../../../core/config/config-schema.ts";
import { openDatabase } from "../../../core/database/open-database.ts";
import { placementOf } from "../../../core/database/placement.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { startIndexer } from "../../../indexer/indexer.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../config.ts";
import { createTestDatabase, type TestDatabase } from "../database/database.ts";
import { untilIndexed } from "./indexed.ts";
import { until } from "./indexing.ts";

/** EVM chain ids of the recorded C-Chain and L1. */
export const C_CHAIN = 760_011;
export const L1 = 760_012;

/** The databases of the recording alpha in cells. Disposing it drops all of them. */
export interface AlphaCells extends TestDatabase {
  readonly config: Config;
  /** The database of the primary network with its C-Chain, and the one of the L1. */
  readonly ofNetwork: TestDatabase;
  readonly ofL1: TestDatabase;
}

/**
 * Indexes the recording alpha into cells: its primary network with the C-Chain into a database, its L1 into another. The main database has
 * no rows of chains. `settings` are those of a database that has all of them.
 */
export async function indexedAlphaCells(settings: Config): Promise<AlphaCells> {
  const [main, ofNetwork, ofL1] = await Promise.all([createTestDatabase(), createTestDatabase(), createTestDatabase()]);
  const urlOf = (chainId: number) => (chainId === L1 ? ofL1.url : ofNetwork.url);
  const evmChains = settings.evmChains.map((chain) => ({ ...chain, databaseUrl: urlOf(chain.chainId) }));
  const primaryNetworks = settings.primaryNetworks.map((one) => ({ ...one, databaseUrl: ofNetwork.url }));
  const config = { ...settings, evmChains, primaryNetworks };
  await followAlpha(config, main.url, { ofNetwork, ofL1 });
  const databases = openDatabase(main.url, 5, createLogger("silent"), { placement: placementOf(config, main.url) });
  return {
    ...databases,
    prisma: databases.evm.prisma,
    url: main.url,
    config,
    ofNetwork,
    ofL1,
    async [Symbol.asyncDispose]() {
      await databases[Symbol.asyncDispose]();
      for (const one of [main, ofNetwork, ofL1]) await one[Symbol.asyncDispose]();
    },
  };
}

/** Runs the indexer over the recording alpha until the databases of its network and of its L1 have all of it. */
export async function followAlpha(
  { evmChains, primaryNetworks }: Pick<Config, "evmChains" | "primaryNetworks">,
  mainUrl: string,
  { ofNetwork, ofL1 }: Pick<AlphaCells, "ofNetwork" | "ofL1">,
): Promise<void> {
  await using node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  const config = {
    ...testConfig(),
    evmChains: evmChains.map((chain) => ({ ...chain, nodeUrl: chain.nodeUrl?.replace(/^http:\/\/[^/]+/, node.url) })),
    primaryNetworks: primaryNetworks.map((one) => ({ ...one, nodeUrl: node.url })),
  };
  await using _indexer = startIndexer(config, mainUrl, createLogger("error"));
  const headOf = (chainId: number) => {
    const chain = node.recording.manifest.chains.find(({ evmChainId }) => evmChainId === chainId);
    return { [chainId]: node.head(chain?.alias ?? "") };
  };
  await untilIndexed(ofL1, headOf(L1));
  await untilIndexed(ofNetwork, headOf(C_CHAIN));
  const states = "SELECT state FROM primary_progress";
  await until(
    async () => (await ofNetwork.pool.query<{ state: string }>(states)).rows.map(({ state }) => state),
    (found) => found.length === 3 && found.every((state) => state === "FOLLOWING"),
    "the primary network to follow its node",
  );
}
