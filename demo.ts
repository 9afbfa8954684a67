import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, configSchema } from "./core/config-schema.ts";
import { usingDataDirectory } from "./core/data-directory.ts";
import { demoConfig, demoNetwork } from "./recordings/demo.ts";
import type { HeadMode } from "./recordings/head-clock.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "./recordings/replay-node.ts";

/** True when the bundled recording is to be served: asked for, or nothing else is configured. */
export function isDemo({ demo, evmChains, primaryNetworks }: Config): boolean {
  const isConfigured = evmChains.length > 0 || primaryNetworks.length > 0;
  return demo === "live" || demo === "full" || (demo === "auto" && !isConfigured);
}

/**
 * A node that answers from the bundled recording, and the configuration that has its chains and its network. In a live demo
 * heads advance as in life from the first start on; a later start goes on where time has got to. Commands that run beside
 * the demo `join` it: they see its heads, and begin nothing.
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
  // A network of one's own keeps the name that the demo's would take.
  const isTaken = config.primaryNetworks.some((own) => own.network === network?.network);
  const primaryNetworks = [...(network && !isTaken ? [network] : []), ...config.primaryNetworks];
  // A demo asks nobody for anything: only metadata that is in a token's URI itself is read.
  // Chains of one's own beside the demo's keep their settings.
  const remote = config.evmChains.length > 0 && config.nftMetadata.remote;
  const nftMetadata = { ...config.nftMetadata, remote };
  return { node, config: { ...config, nftMetadata, evmChains: [...evmChains, ...config.evmChains], primaryNetworks } };
}

/** Chains whose head is not at the end of the recording yet: of what changes, a recorded node knows the end only. */
export function onTheWay({ recording, head }: ReplayNode): string[] {
  return recording.manifest.chains.filter(({ alias, height }) => head(alias) < height).map(({ alias }) => alias);
}

function headsOf({ demo, dataDirectory }: Config, joins: boolean): HeadMode {
  const path = join(dataDirectory, "demo-started-at");
  if (demo === "full") return "full";
  if (existsSync(path)) return { startedAtMs: Number(readFileSync(path, "utf8")) };
  if (joins) return "full";
  mkdirSync(dataDirectory, { recursive: true });
  const startedAtMs = Date.now();
  writeFileSync(path, String(startedAtMs));
  return { startedAtMs };
}
