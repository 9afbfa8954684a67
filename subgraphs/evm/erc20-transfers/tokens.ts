import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import { type RichAddress, richAddress } from "../rich-address.ts";
import type { Erc20Transfer } from "./types.ts";

type Linked = "from" | "to" | "erc20Token";

/** A transfer as it is read: its token and its addresses are addresses only. */
export type UnlinkedTransfer = Omit<Erc20Transfer, Linked> & Record<Linked, string>;

/**
 * Puts what is known of token and addresses in their place: plain objects, so that nothing is resolved per row, and in
 * the rows themselves, since copies were a sixth of what a page cost. One statement for each chain among the rows.
 */
export async function withTokens(rows: UnlinkedTransfer[], tokens: Erc20TokenStore): Promise<Erc20Transfer[]> {
  const linked: (UnlinkedTransfer | Erc20Transfer)[] = rows;
  const [first] = rows;
  if (!first) return [];
  if (rows.every((row) => row.chainId === first.chainId)) await link(first.chainId, rows, tokens);
  else
    for (const chainId of new Set(rows.map((row) => row.chainId)))
      await link(
        chainId,
        rows.filter((row) => row.chainId === chainId),
        tokens,
      );
  return linked as Erc20Transfer[];
}

async function link(chainId: string, rows: readonly UnlinkedTransfer[], tokens: Erc20TokenStore): Promise<void> {
  const addresses = new Set<string>();
  for (const row of rows) addresses.add(row.erc20Token).add(row.from).add(row.to);
  const known = await tokens.among(chainId, addresses);
  const rich = new Map<string, RichAddress>();
  for (const address of addresses) rich.set(address, richAddress(address, known.get(address)));
  for (const row of rows) {
    const places: Record<Linked, unknown> = row;
    places.erc20Token = known.get(row.erc20Token) ?? unknownToken(chainId, row);
    places.from = rich.get(row.from);
    places.to = rich.get(row.to);
  }
}

/** For a token that a reorganisation took away between the two statements. */
function unknownToken(chainId: string, { blockNumber, erc20Token }: UnlinkedTransfer): Erc20Token {
  const unasked = { name: "", symbol: "", decimals: 0, logoUri: null, ercType: "ERC-20", metadataStatus: "PENDING" };
  return { chainId, address: erc20Token, firstBlockNumber: blockNumber, ...unasked };
}
