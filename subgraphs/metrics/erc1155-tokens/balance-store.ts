import { readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bigint, bytea, MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { IS_INDEXED } from "../chains/is-indexed.ts";

export interface Erc1155BalanceKey {
  readonly chainId: string;
  readonly tokenAddress: string;
  readonly tokenId: string;
  readonly address: string;
  /** Block number; null selects the last indexed block. */
  readonly blockNumber: string | null;
}

export interface Erc1155Balance extends Erc1155BalanceKey {
  readonly balance: string;
  /** The chain's last indexed block, whatever block was selected. */
  readonly head: string;
}

/** Reads balances of ERC-1155 tokens after blocks in one statement for each chain. Chains that are not indexed are left out. */
export type Erc1155Balances = (keys: readonly Erc1155BalanceKey[], work: Work) => Promise<Erc1155Balance[]>;

/** A row of the table is written for each block that changed the balance. */
const ERC1155_BALANCES = `SELECT k.request, coalesce(held.balance, 0) AS balance, h.block_number AS head
  FROM unnest($2::bytea[], $3::numeric[], $4::bytea[], $5::bigint[]) WITH ORDINALITY
      AS k(token_address, token_id, address, block_number, request)
    JOIN chain_heads h ON h.chain_id = $1 AND ${IS_INDEXED}
    LEFT JOIN LATERAL (SELECT t.balance FROM nft_item_balances t
      WHERE t.chain_id = $1 AND t.address = k.address AND t.token_address = k.token_address AND t.token_id = k.token_id
        AND t.erc_type = 'ERC-1155' AND t.block_number <= k.block_number
      ORDER BY t.block_number DESC LIMIT 1) held ON true`;

export function createErc1155Balances({ pool }: Pick<Database, "pool">): Erc1155Balances {
  const statement = prepared<{ request: string; balance: string; head: string }>(
    pool,
    "metrics-erc1155-balances",
    ERC1155_BALANCES,
  );
  const read = readRowsOfKeys(statement, {
    partitionOf: ({ chainId }: Erc1155BalanceKey) => chainId,
    valuesOf: (keys) => [
      keys.map(({ tokenAddress }) => bytea(tokenAddress)),
      keys.map(({ tokenId }) => tokenId),
      keys.map(({ address }) => bytea(address)),
      keys.map(({ blockNumber }) => bigint(blockNumber ?? MAX_BIGINT)),
    ],
  });
  return async (keys, work) => {
    const byKey = await read(keys, work);
    return keys.flatMap((key, at) => (byKey[at] ?? []).map(({ balance, head }) => ({ ...key, balance, head })));
  };
}
