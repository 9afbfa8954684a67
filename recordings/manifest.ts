import { existsSync, readFileSync } from "node:fs";
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
  /** Of an EVM chain on which contracts were at work. */
  messenger: z.string().optional(),
  wrappedNativeTokens: z.array(z.string()).optional(),
});

/** What `evm-<alias>.json` says of the contracts of an EVM chain. */
const activitySchema = z.object({
  messenger: z.string(),
  contracts: z.array(z.object({ address: z.string(), kind: z.string() })),
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
  const manifest = manifestSchema.parse(readJson(join(folder, "manifest.json")));
  return { ...manifest, chains: manifest.chains.map((chain) => ({ ...chain, ...contractsOf(folder, chain) })) };
}

function contractsOf(
  folder: string,
  { alias }: RecordedChain,
): Pick<RecordedChain, "messenger" | "wrappedNativeTokens"> {
  const file = join(folder, `evm-${alias.toLowerCase()}.json`);
  if (!existsSync(file)) return {};
  const { messenger, contracts } = activitySchema.parse(readJson(file));
  const wrapped = contracts.filter(({ kind }) => kind === "wrappedNative");
  return { messenger, wrappedNativeTokens: wrapped.map(({ address }) => address) };
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

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
