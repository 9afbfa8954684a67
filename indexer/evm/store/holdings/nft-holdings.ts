import type { Session } from "../../../shared/writer.ts";
import { BalanceChanges, ZERO_ADDRESS } from "../../decode/balance-changes.ts";
import type { EncodedBlock } from "../../decode/encoded-block.ts";
import type { Row } from "../../decode/tables.ts";
import { type BalanceKey, loadBalances, NFT_HOLDINGS, storeBalances } from "./current-balances.ts";
import type { BlockBalances, SupplyChange } from "./holder-changes.ts";
import { changeItemCounts } from "./item-counts.ts";
import { changeNftHolders } from "./nft-holders.ts";
import { deleteSupplies, insertSupplies } from "./supplies.ts";
import { addTokenCounts, removedTransfers, removeTokenCounts } from "./token-counts.ts";

/** The transfer of some tokens with one id; addresses are hex without `0x`. */
interface NftTransfer {
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly tokenId: string;
  readonly ercType: string;
  readonly value: bigint;
}

/** Transfers of one block. */
interface BlockTransfers {
  readonly number: number;
  readonly transfers: readonly NftTransfer[];
}

/**
 * Stores what blocks that follow all stored ones change of the tokens that addresses hold, of the holders of collections, and of
 * the collections' supplies and counters. At most ten statements and three COPYs.
 */
export async function insertNftHoldings(
  session: Session,
  chainId: string,
  blocks: readonly Pick<EncodedBlock, "number" | "nftTransfers">[],
): Promise<void> {
  const transfers = blocks.map(
    ({ number, nftTransfers }): BlockTransfers => ({ number, transfers: transfersOf(nftTransfers) }),
  );
  const supplies = await applyTransfers(session, chainId, transfers);
  await insertSupplies(session, "nft_supplies", chainId, supplies);
  const counts = new Map<string, number>();
  for (const block of transfers)
    for (const { token } of block.transfers) counts.set(token, (counts.get(token) ?? 0) + 1);
  const tokens = supplies.map(({ token }) => token);
  await addTokenCounts(session, "nft_counts", chainId, counts, tokens);
}

/** Restores the holdings, holders, supplies and counters of collections as they were after block `ancestor`. Reads the transfers above it. */
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
  await applyTransfers(session, chainId, [{ number: ancestor, transfers: reversed }]);
  const tokens = [...new Set(rows.map(({ token }) => token))];
  await deleteSupplies(session, "nft_supplies", chainId, ancestor, tokens);
  const transfers = await removedTransfers(session, "nft_counts", chainId, ancestor);
  await removeTokenCounts(session, "nft_counts", chainId, transfers, tokens);
}

/** Adds transfers to holdings and holders. Returns what each block changes of the supplies. */
async function applyTransfers(
  session: Session,
  chainId: string,
  blocks: readonly BlockTransfers[],
): Promise<readonly SupplyChange[]> {
  if (blocks.every(({ transfers }) => transfers.length === 0)) return [];
  await changeHoldings(
    session,
    chainId,
    blocks.flatMap(({ transfers }) => transfers),
  );
  return changeNftHolders(session, chainId, blocks.map(balancesOf));
}

async function changeHoldings(session: Session, chainId: string, transfers: readonly NftTransfer[]): Promise<void> {
  const amounts = new Map<string, bigint>();
  const add = (address: string, { token, tokenId, ercType }: NftTransfer, amount: bigint): void => {
    if (address === ZERO_ADDRESS) return;
    const key = `${address} ${token} ${tokenId} ${ercType}`;
    amounts.set(key, (amounts.get(key) ?? 0n) + amount);
  };
  for (const transfer of transfers) {
    add(transfer.from, transfer, -transfer.value);
    add(transfer.to, transfer, transfer.value);
  }
  const changes = [...amounts].filter(([, amount]) => amount !== 0n);
  const keys = changes.map(([key]): BalanceKey => key.split(" "));
  const stored = await loadBalances(session, NFT_HOLDINGS, chainId, keys);
  const steps = changes.map(([, amount], i) => {
    const before = stored[i] ?? 0n;
    return { key: keys[i] ?? [], before, after: before + amount };
  });
  await storeBalances(session, NFT_HOLDINGS, chainId, steps);
  await changeItemCounts(session, chainId, steps);
}

/** How many tokens of each collection each address gains or loses in a block. */
function balancesOf({ number, transfers }: BlockTransfers): BlockBalances {
  const changes = new BalanceChanges();
  for (const { from, to, token, value } of transfers) {
    changes.add(token, from, -value);
    changes.add(token, to, value);
  }
  return { number, balances: changes.all() };
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
