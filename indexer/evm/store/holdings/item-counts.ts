import { byteArray, numberArray } from "../../../shared/pg-arrays.ts";
import type { Session } from "../../../shared/writer.ts";
import type { BalanceStep } from "./current-balances.ts";

/** How much some transfers change the holders and the supply of an ERC-1155 token id. */
interface ItemChange {
  readonly token: string;
  readonly tokenId: string;
  holders: number;
  supply: bigint;
}

const ADD = `INSERT INTO erc1155_counts AS c (chain_id, token_address, token_id, holder_count, total_supply)
  SELECT $1, * FROM unnest($2::bytea[], $3::numeric[], $4::bigint[], $5::numeric[])
  ON CONFLICT (chain_id, token_address, token_id) DO UPDATE
    SET holder_count = c.holder_count + excluded.holder_count, total_supply = c.total_supply + excluded.total_supply`;

const DELETE_EMPTY = `DELETE FROM erc1155_counts c USING unnest($2::bytea[], $3::numeric[]) AS k (token_address, token_id)
  WHERE c.chain_id = $1 AND c.token_address = k.token_address AND c.token_id = k.token_id
    AND c.holder_count = 0 AND c.total_supply = 0`;

/**
 * Adds changes of holdings to the holders and supplies of ERC-1155 token ids. The keys of the steps are an address, a token, a token id and a
 * standard. Deletes the rows that became 0. At most two statements.
 */
export async function changeItemCounts(
  session: Session,
  chainId: string,
  steps: readonly BalanceStep[],
): Promise<void> {
  const changes = itemChanges(steps).filter(({ holders, supply }) => holders !== 0 || supply !== 0n);
  if (changes.length === 0) return;
  const keys = [
    byteArray(changes.map(({ token }) => token)),
    numberArray(changes.map(({ tokenId }) => BigInt(tokenId))),
  ];
  const holders = numberArray(changes.map((change) => change.holders));
  const supplies = numberArray(changes.map(({ supply }) => supply));
  await session.query(ADD, [chainId, ...keys, holders, supplies]);
  // Only a decrease can leave nothing.
  if (changes.some((change) => change.holders < 0 || change.supply < 0n))
    await session.query(DELETE_EMPTY, [chainId, ...keys]);
}

function itemChanges(steps: readonly BalanceStep[]): ItemChange[] {
  const changes = new Map<string, ItemChange>();
  for (const { key, before, after } of steps) {
    const [, token = "", tokenId = "", ercType] = key;
    if (ercType !== "ERC-1155") continue;
    const id = `${token} ${tokenId}`;
    const change = changes.get(id) ?? { token, tokenId, holders: 0, supply: 0n };
    changes.set(id, change);
    change.holders += Number(after > 0n) - Number(before > 0n);
    change.supply += after - before;
  }
  return [...changes.values()];
}
