import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, configSchema } from "../core/config/config-schema.ts";
import { createDirectory, usingDataDirectory } from "../core/config/data-directory.ts";
import { demoConfig, demoNetwork } from "../recordings/demo.ts";
import type { HeadMode } from "../recordings/head-clock.ts";
import { recordedContents } from "../recordings/recorded-contents.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../recordings/replay-node.ts";
import { readValidatorKeys } from "../recordings/validator-keys.ts";
import type { RecordedNetwork } from "../signatures/demo/recorded-contents.ts";

/** True if the bundled recording is served: `demo` is `live` or `full`, or it is `auto` and no chain or network is configured. */
export function isDemo({ demo, evmChains, primaryNetworks }: Config): boolean {
  const isConfigured = evmChains.length > 0 || primaryNetworks.length > 0;
  return demo === "live" || demo === "full" || (demo === "auto" && !isConfigured);
}

/**
 * Starts a node that answers from the bundled recording, and adds the recorded chains and network to the configuration. In a live
 * demo the heads advance from the time of the first start, and a restart does not reset them. Commands that run while the demo
 * runs pass `joins`: they use the heads of the running demo, or the whole recording if no demo was started.
 */
export async function startDemo(
  config: Config,
  { joins = false }: { readonly joins?: boolean } = {},
): Promise<{ node: ReplayNode; config: Config }> {
  const heads = await usingDataDirectory(config.dataDirectory, async () => headsOf(config, joins));
  const node = await startReplayNode({ heads });
  const { manifest } = node.recording;
  const evmChains = configSchema.shape.evmChains.parse(demoConfig(manifest, node.url));
  const [network] = configSchema.shape.primaryNetworks.parse([demoNetwork(manifest, ALPHA, node.url)]);
  // A configured network of the same name replaces the network of the demo.
  const isTaken = config.primaryNetworks.some((own) => own.network === network?.network);
  const primaryNetworks = [...(network && !isTaken ? [network] : []), ...config.primaryNetworks];
  // The demo makes no requests to the internet, so it reads only metadata in `data:` URIs, unless other chains are configured.
  const remote = config.evmChains.length > 0 && config.nftMetadata.remote;
  const nftMetadata = { ...config.nftMetadata, remote };
  // The recorded chains are indexed in seconds, so a process for each would only take memory.
  const { processes = 1 } = config.indexing;
  // The state of the recorded node would not be that of the last indexed block.
  const proofEveryBlocks = unfinishedChains(node).length > 0 ? 0 : config.indexing.proofEveryBlocks;
  const indexing = { ...config.indexing, processes, proofEveryBlocks };
  const chains = { evmChains: [...evmChains, ...config.evmChains], primaryNetworks };
  return { node, config: { ...config, nftMetadata, indexing, ...chains } };
}

/** Settings for a command, and the node of the demo; null if no demo is served. */
interface JoinedDemo extends AsyncDisposable {
  readonly config: Config;
  readonly node: ReplayNode | null;
}

/** The settings of a command, with the chains and the network of the demo if it is served. Disposing ends the node of the demo. */
export async function joinDemo(configured: Config): Promise<JoinedDemo> {
  const { config, node } = isDemo(configured)
    ? await startDemo(configured, { joins: true })
    : { config: configured, node: null };
  return { config, node, [Symbol.asyncDispose]: async () => node?.[Symbol.asyncDispose]() };
}

/** True if the demo's primary network is indexed, so that its validators must be simulated: no configured network replaces it. */
export function hasDemoValidators(node: ReplayNode, { primaryNetworks }: Config): boolean {
  const { networkID } = node.recording.manifest;
  return primaryNetworks.some(({ networkId }) => networkId === networkID);
}

/** The demo's primary network with the keys of its validators. */
export function demoValidators(node: ReplayNode): RecordedNetwork {
  return { contents: recordedContents(node), validators: readValidatorKeys(ALPHA) };
}

/** Aliases of the chains whose head has not reached the end of the recording. A recorded node has only the state at the end. */
export function unfinishedChains({ recording, head }: ReplayNode): string[] {
  return recording.manifest.chains.filter(({ alias, height }) => head(alias) < height).map(({ alias }) => alias);
}

function headsOf({ demo, dataDirectory }: Config, joins: boolean): HeadMode {
  const path = join(dataDirectory, "demo-started-at");
  if (demo === "full") return "full";
  if (existsSync(path)) return { startedAtMs: Number(readFileSync(path, "utf8")) };
  if (joins) return "full";
  createDirectory(dataDirectory);
  const startedAtMs = Date.now();
  writeFileSync(path, String(startedAtMs));
  return { startedAtMs };
}
