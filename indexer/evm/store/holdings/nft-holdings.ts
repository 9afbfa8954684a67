import type { Session } from "../../../shared/writer.ts";
import type { EncodedBlock } from "../../decode/encoded-block.ts";
import type { Row } from "../../decode/tables.ts";
import { deleteHistory, insertHistory } from "./current-balances.ts";
import {
  type BlockTransfers,
  changeBalances,
  keysOf,
  LEVELS,
  type NftTransfer,
  supplyChangesOf,
} from "./nft-balances.ts";
import { deleteSupplies, insertSupplies } from "./supplies.ts";
import { addTokenCounts, removedTransfers, removeTokenCounts } from "./token-counts.ts";

/**
 * Stores what blocks that follow all stored ones change of the tokens that addresses hold, by token id and by collection, of the supplies,
 * and of the collections' counters. At most nine statements and six COPYs.
 */
export async function insertNftHoldings(
  session: Session,
  chainId: string,
  blocks: readonly Pick<EncodedBlock, "number" | "nftTransfers">[],
): Promise<void> {
  const transfers = blocks.map(
    ({ number, nftTransfers }): BlockTransfers => ({ number, transfers: transfersOf(nftTransfers) }),
  );
  const counts = new Map<string, number>();
  for (const block of transfers)
    for (const { token } of block.transfers) counts.set(token, (counts.get(token) ?? 0) + 1);
  if (counts.size === 0) return;
  for (const level of LEVELS) {
    const steps = await changeBalances(session, chainId, level, transfers);
    await insertHistory(session, level.balances, chainId, steps);
    await insertSupplies(session, level.supplies, chainId, supplyChangesOf(level, steps));
  }
  await addTokenCounts(session, "nft_counts", chainId, counts);
}

/** Restores holdings, holders, supplies and counters of NFTs as they were after block `ancestor`. Reads the transfers above it. */
export async function rollBackNftHoldings(session: Session, chainId: string, ancestor: number): Promise<void> {
  const rows = await session.query<
    Record<"sender" | "recipient" | "token" | "token_id" | "erc_type" | "value", string>
  >(
    `SELECT encode(from_address, 'hex') AS sender, encode(to_address, 'hex') AS recipient,
       encode(token_address, 'hex') AS token, token_id, erc_type, value
     FROM (
       SELECT from_address, to_address, token_address, token_id, 'ERC-721' AS erc_type, 1 AS value
       FROM erc721_transfers WHERE chain_id = $1 AND block_number > $2::bigint
       UNION ALL
       SELECT from_address, to_address, token_address, token_id, 'ERC-1155', value
       FROM erc1155_transfers WHERE chain_id = $1 AND block_number > $2::bigint) AS removed`,
    [chainId, ancestor],
  );
  const reversed = rows.map(({ sender, recipient, token, token_id, erc_type, value }) => ({
    from: recipient,
    to: sender,
    token,
    tokenId: token_id,
    ercType: erc_type,
    value: BigInt(value),
  }));
  for (const level of LEVELS) {
    await changeBalances(session, chainId, level, [{ number: ancestor, transfers: reversed }]);
    const keys = keysOf(level, reversed);
    await deleteHistory(session, level.balances, chainId, ancestor, keys);
    const tokens = new Set(keys.map(level.tokenOf).filter((token) => token !== null));
    await deleteSupplies(session, level.supplies, chainId, ancestor, [...tokens]);
  }
  const transfers = await removedTransfers(session, "nft_counts", chainId, ancestor);
  await removeTokenCounts(session, "nft_counts", chainId, transfers);
}

function transfersOf({ erc721_transfers, erc1155_transfers }: EncodedBlock["nftTransfers"]): NftTransfer[] {
  return [
    ...erc721_transfers.map((row) => transferOf({ ...row, value: 1n }, "ERC-721")),
    ...erc1155_transfers.map((row) => transferOf(row, "ERC-1155")),
  ];
}

const transferOf = (
  row: Pick<Row<"erc1155_transfers">, "from_address" | "to_address" | "token_address" | "token_id" | "value">,
  ercType: string,
): NftTransfer => ({
  from: row.from_address,
  to: row.to_address,
  token: row.token_address,
  tokenId: String(row.token_id),
  ercType,
  value: BigInt(row.value),
});
