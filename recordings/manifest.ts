import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const chainSchema = z.object({
  alias: z.string(),
  name: z.string(),
  blockchainId: z.string(),
  subnetId: z.string(),
  vmId: z.string(),
  rpcPath: z.string().optional(),
  evmChainId: z.number().int().optional(),
  height: z.number().int().nonnegative(),
  hash: z.string(),
  genesisHash: z.string(),
});

const manifestSchema = z.object({
  name: z.string(),
  nodeVersion: z.string(),
  networkID: z.number().int(),
  hrp: z.string(),
  started: z.string(),
  chains: z.array(chainSchema),
});

/** What a recording says of itself; members that nobody reads are left out. */
export type Manifest = z.infer<typeof manifestSchema>;

/** A recorded chain: `height` and `hash` are of its last block; `rpcPath` and `evmChainId` are there on EVM chains only. */
export type RecordedChain = z.infer<typeof chainSchema>;

/** A recorded chain that speaks the Ethereum JSON-RPC at `rpcPath`. */
export type RecordedEvmChain = RecordedChain & { rpcPath: string; evmChainId: number };

/** Reads `manifest.json` of a recording's folder; throws when it is missing or malformed. */
export function readManifest(folder: string): Manifest {
  return manifestSchema.parse(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")));
}

/** True for the C-Chain and EVM L1s. */
export function isEvmChain(chain: RecordedChain): chain is RecordedEvmChain {
  return chain.rpcPath !== undefined && chain.evmChainId !== undefined;
}

/** The path of a node's API under the alias the recording uses, whichever alias or blockchain ID the caller wrote. */
export function recordedPath(manifest: Manifest, path: string): string {
  const [, name, rest] = /^\/ext\/bc\/([^/]+)(.*)$/.exec(path) ?? [];
  const chain = manifest.chains.find(
    ({ alias, blockchainId }) => name === blockchainId || ALIASES[alias]?.includes(name ?? ""),
  );
  if (!chain) return path;
  return `/ext/bc/${ALIASES[chain.alias]?.[0] ?? chain.blockchainId}${rest}`;
}

const ALIASES: Record<string, readonly string[]> = { P: ["P", "platform"], X: ["X", "avm"], C: ["C", "evm"] };
