import { checksumAddress, ZERO_ADDRESS } from "../../../core/formats/address.ts";
import type { Erc20TokenRow } from "../../../subgraphs/evm/erc20-tokens/types.ts";
import type { Erc20TransferRow } from "../../../subgraphs/evm/erc20-transfers/store.ts";
import type { InternalTransactionRow } from "../../../subgraphs/evm/internal-transactions/store.ts";

/** Tokens by address. */
export type KnownTokens = ReadonlyMap<string, Erc20TokenRow>;

export function addressOf(address: string, known: KnownTokens) {
  const token = known.get(address);
  return {
    name: token?.name || undefined,
    symbol: token?.symbol || undefined,
    decimals: token?.decimals,
    address: checksumAddress(address),
  };
}

export function tokenOf(address: string, known: KnownTokens) {
  const token = known.get(address);
  return {
    address: checksumAddress(address),
    name: token?.name ?? "",
    symbol: token?.symbol ?? "",
    decimals: token?.decimals ?? 0,
    ercType: "ERC-20",
  };
}

/** A transfer in the form of E9. */
export function transferOf(row: Erc20TransferRow, known: KnownTokens) {
  return {
    blockNumber: row.blockNumber,
    blockTimestamp: Number(row.blockTimestamp),
    blockHash: row.blockHash,
    txHash: row.txHash,
    from: addressOf(row.from, known),
    to: addressOf(row.to, known),
    logIndex: row.logIndex,
    value: row.value,
    erc20Token: tokenOf(row.erc20Token, known),
  };
}

/** An internal transaction in the form of E10. */
export function internalOf(row: InternalTransactionRow, known: KnownTokens) {
  return {
    blockNumber: row.blockNumber,
    blockTimestamp: Number(row.blockTimestamp),
    blockHash: row.blockHash,
    txHash: row.txHash,
    from: addressOf(row.from, known),
    to: addressOf(row.to ?? ZERO_ADDRESS, known),
    internalTxType: row.internalTxType,
    value: row.value,
    isReverted: row.isReverted,
    gasUsed: row.gasUsed,
    gasLimit: row.gasLimit,
  };
}
