import type { Config } from "../../../core/config/config-schema.ts";
import { demoConfig, demoNetwork } from "../../../recordings/demo.ts";
import { readManifest } from "../../../recordings/manifest.ts";
import { ALPHA } from "../../../recordings/replay-node.ts";
import { testConfig } from "../config.ts";
import { createFilledDatabase, type TestDatabase } from "../database/database.ts";
import { readPrimaryRecording } from "../recorded/primary-recording.ts";
import { indexChains, servedByNode } from "./indexed.ts";
import { replayInto } from "./replayed-primary.ts";

/** A database of the recording alpha: EVM chains indexed by the real indexer, the primary network replayed. */
export async function indexedAlphaNetwork(): Promise<TestDatabase & { readonly config: Config }> {
  const filled = await createFilledDatabase("whole_alpha", async (database) => {
    await indexChains(database, ALPHA);
    await replayInto(database.url, readPrimaryRecording(ALPHA));
  });
  const database = await servedByNode(filled);
  return { ...database, config: { ...database.config, primaryNetworks: servedNetworks(ALPHA) } };
}

/** The settings to serve a replayed recording; no node listens at its URL. */
export function servedNetworks(folder: string): Config["primaryNetworks"] {
  const network = demoNetwork(readManifest(folder), folder, "http://127.0.0.1:1");
  return testConfig({ primaryNetworks: [network] }).primaryNetworks;
}

/** The settings to serve the C-Chain of a recording; no node listens at its URL. */
export function servedCChain(folder: string): Config["evmChains"] {
  const [cChain] = demoConfig(readManifest(folder), "http://127.0.0.1:1");
  return testConfig({ evmChains: [cChain] }).evmChains;
}
