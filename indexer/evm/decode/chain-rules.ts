import { createHash } from "node:crypto";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { columnNames } from "../../shared/table-rows.ts";
import { ROWS_VERSION, TABLES } from "./tables.ts";

/** The settings that affect the rows of a block. Addresses are lower-case hex without `0x`. */
export interface ChainRules {
  readonly chainId: string;
  /** Contracts whose Teleporter events are indexed. */
  readonly messengers: ReadonlySet<string>;
  /** Contracts that wrap the chain's native token: their Deposit and Withdrawal events change balances. */
  readonly wrappedNativeTokens: ReadonlySet<string>;
  /**
   * Version of the rows. It changes with the decoding code and with the contracts above, because both determine the rows of a
   * block.
   */
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
  const messengers = parseAddresses(teleporterMessengers);
  const wrapped = parseAddresses(wrappedNativeTokens ?? WRAPPED_NATIVE_TOKENS[String(chainId)] ?? []);
  return {
    chainId: String(chainId),
    messengers,
    wrappedNativeTokens: wrapped,
    rowsVersion: rowsVersionOf(messengers, wrapped),
  };
}

/** A version is a 24-bit hash of the contracts and of the columns times this, plus the version of the code. */
const CODE_VERSIONS = 100;

function rowsVersionOf(...contracts: readonly ReadonlySet<string>[]): number {
  const text = JSON.stringify([
    contracts.map((addresses) => [...addresses].sort()),
    TABLES.map((table) => columnNames(table).sort()),
  ]);
  return createHash("sha256").update(text).digest().readUIntBE(0, 3) * CODE_VERSIONS + (ROWS_VERSION % CODE_VERSIONS);
}

function parseAddresses(addresses: readonly string[]): ReadonlySet<string> {
  return new Set(addresses.map((address) => address.slice(2).toLowerCase()));
}
