import { type RichAddress, richAddress } from "../addresses/types.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import type { Erc20Transfer } from "./types.ts";

type Linked = "from" | "to" | "erc20Token";

/** A transfer as it is read: its token and its addresses are addresses only. */
export type UnlinkedTransfer = Omit<Erc20Transfer, Linked> & Record<Linked, string>;

/**
 * Transfers with what is known of their token and addresses: plain objects, so that nothing is resolved per row. One
 * statement for each chain among the rows.
 */
export async function withTokens(rows: readonly UnlinkedTransfer[], tokens: Erc20TokenStore): Promise<Erc20Transfer[]> {
  const chainIds = new Set<string>();
  for (const row of rows) chainIds.add(row.chainId);
  const linkers = new Map<string, Link>();
  for (const chainId of chainIds) linkers.set(chainId, await linkerOf(chainId, rows, tokens));
  return rows.map((row) => (linkers.get(row.chainId) as Link)(row));
}

type Link = (row: UnlinkedTransfer) => Erc20Transfer;

async function linkerOf(chainId: string, rows: readonly UnlinkedTransfer[], tokens: Erc20TokenStore): Promise<Link> {
  const addresses = new Set<string>();
  for (const row of rows) if (row.chainId === chainId) addresses.add(row.erc20Token).add(row.from).add(row.to);
  const known = await tokens.among(chainId, addresses);
  const rich = new Map<string, RichAddress>();
  for (const address of addresses) rich.set(address, richAddress(address, known.get(address)));
  // A literal, not a copy with other fields: copying rows was a sixth of what a page cost.
  return ({ blockNumber, blockTimestamp, blockHash, txHash, from, to, logIndex, value, erc20Token }) => ({
    chainId,
    blockNumber,
    blockTimestamp,
    blockHash,
    txHash,
    from: rich.get(from) as RichAddress,
    to: rich.get(to) as RichAddress,
    logIndex,
    value,
    erc20Token: known.get(erc20Token) ?? unknownToken(chainId, blockNumber, erc20Token),
  });
}

/** For a token that a reorganisation took away between the two statements. */
function unknownToken(chainId: string, firstBlockNumber: string, address: string): Erc20Token {
  const unasked = { name: "", symbol: "", decimals: 0, logoUri: null, ercType: "ERC-20", metadataStatus: "PENDING" };
  return { chainId, address, firstBlockNumber, ...unasked };
}
