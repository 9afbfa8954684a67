import type { BalanceChange, BalanceChanges } from "./balance-changes.ts";
import type { ChainRules } from "./chain-rules.ts";
import type { BlockColumns } from "./shared-columns.ts";
import type { Row, RowsOf } from "./tables.ts";

export interface LogRows
  extends RowsOf<
    "evm_logs" | "erc20_transfers" | "erc721_transfers" | "erc1155_transfers" | "icm_events" | "evm_proxy_upgrades"
  > {}

/** A token of an ERC-721 or ERC-1155 contract. */
export interface NftItem {
  /** Hex without `0x`. */
  readonly address: string;
  readonly tokenId: string;
  readonly ercType: "ERC-721" | "ERC-1155";
}

export interface DecodedLogs {
  readonly rows: LogRows;
  /** Contracts (hex without `0x`) that emitted ERC-20 transfers, without duplicates. */
  readonly tokens: readonly string[];
  /** Contracts (hex without `0x`) that emitted ERC-721 or ERC-1155 transfers, without duplicates. */
  readonly nftContracts: readonly string[];
  readonly nftItems: readonly NftItem[];
  readonly balances: readonly BalanceChange[];
}

/** Rows and keys that are collected from a block's logs. */
export interface LogCollection {
  readonly columns: BlockColumns;
  readonly rules: ChainRules;
  readonly rows: { [Table in keyof LogRows]: Row<Table>[] };
  readonly tokens: Set<string>;
  readonly nfts: Map<string, NftItem>;
  readonly balances: BalanceChanges;
}
