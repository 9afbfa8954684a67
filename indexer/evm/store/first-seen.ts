import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session } from "../../shared/writer.ts";
import type { BlockRows } from "../decode/block.ts";
import type { NftItem } from "../decode/log-rows.ts";

/** What first appears in a block. */
type FirstSeenBlock = Pick<BlockRows, "number" | "tokens" | "nftContracts" | "nftItems">;

/** Inserts the contracts and tokens that first appear in these blocks. */
export async function insertFirstSeen(
  session: Session,
  chainId: string,
  blocks: readonly FirstSeenBlock[],
): Promise<void> {
  await insertContracts(
    session,
    "erc20_tokens",
    chainId,
    firstBlocks(blocks, ({ tokens }) => tokens),
  );
  await insertContracts(
    session,
    "nft_contracts",
    chainId,
    firstBlocks(blocks, ({ nftContracts }) => nftContracts),
  );
  await insertNftItems(session, chainId, blocks);
}

/** For each key, the number of the first block that has it. */
export function firstBlocks<Block extends FirstSeenBlock>(
  blocks: readonly Block[],
  keysOf: (block: Block) => readonly string[],
): Map<string, number> {
  const first = new Map<string, number>();
  for (const block of blocks) for (const key of keysOf(block)) if (!first.has(key)) first.set(key, block.number);
  return first;
}

async function insertContracts(
  session: Session,
  table: "erc20_tokens" | "nft_contracts",
  chainId: string,
  firstBlock: ReadonlyMap<string, number>,
): Promise<void> {
  if (firstBlock.size === 0) return;
  await session.query(
    `INSERT INTO ${table} (chain_id, address, first_block_number)
     SELECT $1, * FROM unnest($2::bytea[], $3::bigint[]) ON CONFLICT DO NOTHING`,
    [chainId, [...firstBlock.keys()].map(pgBytes), [...firstBlock.values()]],
  );
}

async function insertNftItems(session: Session, chainId: string, blocks: readonly FirstSeenBlock[]): Promise<void> {
  const first = firstBlocks(blocks, ({ nftItems }) => nftItems.map(nftItemKey));
  if (first.size === 0) return;
  await session.query(
    `INSERT INTO nft_items (chain_id, address, token_id, erc_type, first_block_number)
     SELECT $1, * FROM unnest($2::bytea[], $3::numeric[], $4::text[], $5::bigint[]) ON CONFLICT DO NOTHING`,
    [chainId, ...nftItemColumns([...first.keys()]), [...first.values()]],
  );
}

/** A token's key as one text. */
export const nftItemKey = ({ address, tokenId, ercType }: NftItem): string => `${address} ${tokenId} ${ercType}`;

/** Keys of `nftItemKey` as three lists: addresses, token ids and standards. */
export function nftItemColumns(keys: readonly string[]): string[][] {
  const items = keys.map((key) => key.split(" ") as [string, string, string]);
  return [
    items.map(([address]) => pgBytes(address)),
    items.map(([, tokenId]) => tokenId),
    items.map(([, , ercType]) => ercType),
  ];
}
