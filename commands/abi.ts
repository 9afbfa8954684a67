import { ConfigError, loadConfig } from "../core/config/config.ts";
import { quoted } from "../core/errors/errors.ts";
import { checksumAddress, isEvmAddress } from "../core/formats/address.ts";
import { type AbiScope, addAbi, listAbis, removeAbi, type StoredAbi } from "./abi-store.ts";
import { joinDemo } from "./demo.ts";
import type { Outcome } from "./program/command.ts";
import { readAbi } from "./read-abi.ts";
import { withPool } from "./with-pool.ts";

/** `moraine abi add`. */
export async function addContractAbi(
  { chain, address, source }: { readonly chain: string; readonly address: string; readonly source: string },
  flags: readonly string[],
): Promise<Outcome> {
  const scope: AbiScope = { chainId: await chainOf(chain, flags), address: addressOf(address) };
  const entries = await readAbi(source);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const added = await withPool(flags, (pool) => addAbi(pool, scope, { source, entries }, nowSeconds));
  return { text: describe(added), data: added };
}

/** `moraine abi list`. */
export async function listContractAbis(flags: readonly string[]): Promise<Outcome> {
  const abis = await withPool(flags, listAbis);
  return { text: abis.map(describe).join("\n") || "there are no ABIs", data: abis };
}

/** `moraine abi remove`. */
export async function removeContractAbi(id: string, flags: readonly string[]): Promise<Outcome> {
  const number = idOf(id);
  const removed = await withPool(flags, (pool) => removeAbi(pool, number));
  return { text: `removed: ${describe(removed)}`, data: removed };
}

async function chainOf(text: string, flags: readonly string[]): Promise<number | null> {
  if (text === "all") return null;
  await using demo = await joinDemo(loadConfig(process.env, flags));
  const { evmChains } = demo.config;
  const chain = evmChains.find(({ chainId }) => String(chainId) === text);
  if (chain) return chain.chainId;
  const known = evmChains.map(({ chainId }) => chainId).join(", ") || "none";
  throw new ConfigError(`the chain ${quoted(text)} is not configured: must be all or one of ${known}`);
}

function addressOf(text: string): string | null {
  if (text === "any") return null;
  if (isEvmAddress(text)) return text.toLowerCase();
  throw new ConfigError(`the address is ${quoted(text)}: must be any or 0x and 40 hex digits`);
}

const MAX_ID = 2 ** 31 - 1;

function idOf(text: string): number {
  const id = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (id >= 1 && id <= MAX_ID) return id;
  throw new ConfigError(`the id is ${quoted(text)}: must be a whole number that moraine abi list prints`);
}

const describe = ({ id, chainId, address, entries, source, createdAt }: StoredAbi): string =>
  [
    id,
    chainId === null ? "all chains" : `chain ${chainId}`,
    address === null ? "all contracts" : checksumAddress(address),
    `${entries} entries`,
    source,
    `added ${new Date(createdAt * 1_000).toISOString().slice(0, 19)}`,
  ].join("  ");
