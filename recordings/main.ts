import { parseArgs } from "node:util";
import { startReplayNode } from "./replay-node.ts";

/** Runs a replay node alone: `npx tsx recordings/main.ts [--port N] [--full]`. Without `--full` the heads advance with time. */
const { values } = parseArgs({ options: { port: { type: "string" }, full: { type: "boolean", default: false } } });

const node = await startReplayNode({
  port: Number(values.port ?? 9650),
  heads: values.full ? "full" : { startedAtMs: Date.now() },
});

const { name, chains } = node.recording.manifest;
console.log(`recording ${name} of network ${node.recording.manifest.networkID} at ${node.url}`);
for (const chain of chains) {
  const path = chain.rpcPath ?? `/ext/bc/${chain.alias}`;
  console.log(`${chain.name}: ${node.url}${path} (head ${node.head(chain.alias)} of ${chain.height})`);
}
console.log(`index API: ${node.url}/ext/index/P/block, X/block, C/block`);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void node.close());
