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
  /** Teleporter messenger and wrapped native tokens of an EVM chain, if the recording has them. */
  messenger: z.string().optional(),
  wrappedNativeTokens: z.array(z.string()).optional(),
});

/** The contracts of an EVM chain, as `evm-<alias>.json` lists them. */
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

/** The manifest of a recording; unused members are left out. */
export type Manifest = z.infer<typeof manifestSchema>;

/** A recorded chain. `height` and `hash` are those of its last block; only EVM chains have `rpcPath` and `evmChainId`. */
export type RecordedChain = z.infer<typeof chainSchema>;

/** A recorded chain with an Ethereum JSON-RPC API at `rpcPath`. */
export type RecordedEvmChain = RecordedChain & { rpcPath: string; evmChainId: number };

/** Reads `manifest.json` of a recording's folder. Throws if it is missing or malformed. */
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

/** The chain with this blockchain id, or this alias on a node (case-sensitive); undefined if there is none. */
export function chainNamed({ chains }: Manifest, name: unknown): RecordedChain | undefined {
  return chains.find(({ alias, blockchainId }) => name === blockchainId || ALIASES[alias]?.includes(String(name)));
}

/** The path of a node's API as the recording spells it, for any alias or blockchain id in the path of a request. */
export function recordedPath(manifest: Manifest, path: string): string {
  const [, name, rest] = /^\/ext\/bc\/([^/]+)(.*)$/.exec(path) ?? [];
  const chain = chainNamed(manifest, name);
  if (!chain) return path;
  return `/ext/bc/${ALIASES[chain.alias]?.[0] ?? chain.blockchainId}${rest}`;
}

/** The aliases of the primary network's chains on every node. */
const ALIASES: Readonly<Record<string, readonly string[]>> = { P: ["P", "platform"], X: ["X", "avm"], C: ["C", "evm"] };
