import type { EvmChainConfig } from "../../core/config-schema.ts";

/** What decides, beside the block itself, which rows a block becomes. Addresses are hex without `0x`, lower case. */
export interface ChainRules {
  readonly chainId: string;
  /** Contracts whose Teleporter events count. */
  readonly messengers: ReadonlySet<string>;
  /** Contracts that wrap the chain's own coin: their Deposit and Withdrawal events change balances. */
  readonly wrappedNativeTokens: ReadonlySet<string>;
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
  return {
    chainId: String(chainId),
    messengers: hexes(teleporterMessengers),
    wrappedNativeTokens: hexes(wrappedNativeTokens ?? WRAPPED_NATIVE_TOKENS[String(chainId)] ?? []),
  };
}

function hexes(addresses: readonly string[]): ReadonlySet<string> {
  return new Set(addresses.map((address) => address.slice(2).toLowerCase()));
}
