import { createHash } from "node:crypto";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { ROWS_VERSION } from "./columns.ts";

/** What decides, beside the block itself, which rows a block becomes. Addresses are hex without `0x`, lower case. */
export interface ChainRules {
  readonly chainId: string;
  /** Contracts whose Teleporter events count. */
  readonly messengers: ReadonlySet<string>;
  /** Contracts that wrap the chain's own coin: their Deposit and Withdrawal events change balances. */
  readonly wrappedNativeTokens: ReadonlySet<string>;
  /** Another one where other rows would come of the same blocks: by other code, or by other contracts in the above. */
  readonly rowsVersion: number;
}

/** WAVAX, by EVM chain id. */
const WRAPPED_NATIVE_TOKENS: Readonly<Record<string, readonly string[]>> = {
  "43114": ["0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"],
  "43113": ["0xd00ae08403b9bbb9124bb305c09058e32c39a48c"],
};

type Configured = Pick<EvmChainConfig, "chainId"> &
  Partial<Pick<EvmChainConfig, "teleporterMessengers" | "wrappedNativeTokens">>;

/** The rules of a configured chain. */
export function chainRules({ chainId, teleporterMessengers = [], wrappedNativeTokens }: Configured): ChainRules {
  const messengers = hexes(teleporterMessengers);
  const wrapped = hexes(wrappedNativeTokens ?? WRAPPED_NATIVE_TOKENS[String(chainId)] ?? []);
  return {
    chainId: String(chainId),
    messengers,
    wrappedNativeTokens: wrapped,
    rowsVersion: rowsVersionOf(messengers, wrapped),
  };
}

/** What of a version is left for the code's own: the rest of 31 bits is a hash of the contracts. */
const CODE_VERSIONS = 100;

function rowsVersionOf(...contracts: readonly ReadonlySet<string>[]): number {
  const text = JSON.stringify(contracts.map((addresses) => [...addresses].sort()));
  return createHash("sha256").update(text).digest().readUIntBE(0, 3) * CODE_VERSIONS + (ROWS_VERSION % CODE_VERSIONS);
}

function hexes(addresses: readonly string[]): ReadonlySet<string> {
  return new Set(addresses.map((address) => address.slice(2).toLowerCase()));
}
