import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Config, configSchema } from "./core/config-schema.ts";
import { demoConfig } from "./recordings/demo.ts";
import { type ReplayNode, startReplayNode } from "./recordings/replay-node.ts";

/** True when the bundled recording is to be served: asked for, or nothing else is configured. */
export function isDemo({ demo, evmChains }: Config): boolean {
  return demo === "live" || demo === "full" || (demo === "auto" && evmChains.length === 0);
}

/**
 * A node that answers from the bundled recording, and the configuration that has its chains. In a live demo the head
 * advances as in life from the first start on; a later start goes on where time has got to.
 */
export async function startDemo(config: Config): Promise<{ node: ReplayNode; config: Config }> {
  const heads = config.demo === "full" ? ("full" as const) : { startedAtMs: firstStart(config.dataDirectory) };
  const node = await startReplayNode({ heads });
  const evmChains = configSchema.shape.evmChains.parse(demoConfig(node.recording.manifest, node.url));
  // A demo asks nobody for anything: only metadata that is in a token's URI itself is read.
  // Chains of one's own beside the demo's keep their settings.
  const remote = config.evmChains.length > 0 && config.nftMetadata.remote;
  const nftMetadata = { ...config.nftMetadata, remote };
  return { node, config: { ...config, nftMetadata, evmChains: [...evmChains, ...config.evmChains] } };
}

function firstStart(directory: string): number {
  const path = join(directory, "demo-started-at");
  if (existsSync(path)) return Number(readFileSync(path, "utf8"));
  mkdirSync(directory, { recursive: true });
  const now = Date.now();
  writeFileSync(path, String(now));
  return now;
}
