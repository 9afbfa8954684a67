import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, configSchema } from "./core/config-schema.ts";
import { demoConfig, demoNetwork } from "./recordings/demo.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "./recordings/replay-node.ts";

/** True when the bundled recording is to be served: asked for, or nothing else is configured. */
export function isDemo({ demo, evmChains, primaryNetworks }: Config): boolean {
  const isConfigured = evmChains.length > 0 || primaryNetworks.length > 0;
  return demo === "live" || demo === "full" || (demo === "auto" && !isConfigured);
}

/**
 * A node that answers from the bundled recording, and the configuration that has its chains and its network. In a live demo
 * heads advance as in life from the first start on; a later start goes on where time has got to.
 */
export async function startDemo(config: Config): Promise<{ node: ReplayNode; config: Config }> {
  const heads = config.demo === "full" ? ("full" as const) : { startedAtMs: firstStart(config.dataDirectory) };
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

function firstStart(directory: string): number {
  const path = join(directory, "demo-started-at");
  if (existsSync(path)) return Number(readFileSync(path, "utf8"));
  mkdirSync(directory, { recursive: true });
  const now = Date.now();
  writeFileSync(path, String(now));
  return now;
}
