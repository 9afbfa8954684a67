import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Difference } from "../../shared/verification.ts";
import type { Session } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import type { Answered } from "./compare-node.ts";
import { type Compared, type Holder, type Nft, NOTHING_REPEATED } from "./difference.ts";
import type { HolderBalance, NftOwner } from "./sampled-tokens.ts";

/** Of holders with more transfers in one direction, the sum is not computed. */
const MAX_TRANSFERS = 5_000;

const side = (amount: string, address: string): string => `(SELECT ${amount} AS amount FROM erc20_transfers
    WHERE chain_id = $1 AND token_address = $2 AND ${address} = $3 AND block_number <= $4 LIMIT ${MAX_TRANSFERS + 1})`;

/** The sum of a holder's transfers; null if there are too many. */
const SUM = `SELECT CASE WHEN count(*) <= ${MAX_TRANSFERS} THEN coalesce(sum(amount), 0) END AS sum
  FROM (${side("value", "to_address")} UNION ALL ${side("-value", "from_address")}) AS moved`;

const LAST_RECIPIENT = `SELECT encode(to_address, 'hex') AS address FROM erc721_transfers
  WHERE chain_id = $1 AND token_address = $2 AND token_id = $3 AND block_number <= $4
  ORDER BY block_number DESC, log_index DESC LIMIT 1`;

/**
 * Decides about what contracts answer differently. Indexed balances and owners are those that events give, and contracts may change them
 * without an event. So the index is wrong only if it is not what the indexed transfers give either, or if the contract wraps the native
 * token, whose events are known to be complete. One statement for each holder and each NFT.
 */
export async function compareWithEvents(
  session: Pick<Session, "query">,
  { chainId, wrappedNativeTokens }: Pick<ChainRules, "chainId" | "wrappedNativeTokens">,
  head: number,
  answered: { readonly holders: readonly Answered<HolderBalance>[]; readonly nfts: readonly Answered<NftOwner>[] },
): Promise<Compared> {
  const differences: Difference[] = [];
  const holders: Holder[] = [];
  const nfts: Nft[] = [];
  for (const { token, address, balance, onNode } of answered.holders) {
    const [row] = wrappedNativeTokens.has(token)
      ? [{ sum: onNode }]
      : await session.query<{ sum: string | null }>(SUM, [chainId, pgBytes(token), pgBytes(address), head]);
    if (row?.sum == null || row.sum === balance) continue;
    holders.push({ token, address });
    differences.push({
      comparedWith: "NODE",
      table: "erc20_holders",
      key: `token_address=0x${token}, address=0x${address}`,
      indexed: `balance=${balance}`,
      expected: `balance=${onNode}`,
    });
  }
  for (const { token, tokenId, owner, onNode } of answered.nfts) {
    const [row] = await session.query<{ address: string }>(LAST_RECIPIENT, [chainId, pgBytes(token), tokenId, head]);
    if (!row || row.address === owner) continue;
    nfts.push({ token, tokenId });
    differences.push({
      comparedWith: "NODE",
      table: "nft_holdings",
      key: `token_address=0x${token}, token_id=${tokenId}`,
      indexed: `address=0x${owner}`,
      expected: `address=0x${onNode}`,
    });
  }
  const repeated = { ...NOTHING_REPEATED, holders, nfts };
  return { checked: 0, differing: differences.length, differences, repeated };
}
