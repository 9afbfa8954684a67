import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import { type RichAddress, richAddress } from "../rich-address.ts";
import type { Erc20Transfer, Erc20TransferRow } from "./types.ts";

/**
 * Transfers with what is known of their token and addresses: plain objects, so that nothing is resolved per row.
 * One statement for each chain among the rows.
 */
export async function withTokens(rows: readonly Erc20TransferRow[], tokens: Erc20TokenStore): Promise<Erc20Transfer[]> {
  const chainIds = new Set(rows.map((row) => row.chainId));
  const known = new Map<string, Map<string, Erc20Token>>();
  for (const chainId of chainIds) known.set(chainId, await tokens.among(chainId, addressesOf(rows, chainId)));
  const addresses = new Map<string, RichAddress>();
  const rich = (chainId: string, address: string): RichAddress => {
    const key = chainId + address;
    const made = addresses.get(key) ?? richAddress(address, known.get(chainId)?.get(address));
    addresses.set(key, made);
    return made;
  };
  return rows.map(({ from, to, tokenAddress, ...row }) => ({
    ...row,
    from: rich(row.chainId, from),
    to: rich(row.chainId, to),
    erc20Token: known.get(row.chainId)?.get(tokenAddress) ?? unknownToken(row, tokenAddress),
  }));
}

function addressesOf(rows: readonly Erc20TransferRow[], chainId: string): string[] {
  const addresses = new Set<string>();
  for (const row of rows)
    if (row.chainId === chainId) addresses.add(row.tokenAddress).add(row.from).add(row.to);
  return [...addresses];
}

/** For a token that a reorganisation took away between the two statements. */
function unknownToken({ chainId, blockNumber }: Pick<Erc20TransferRow, "chainId" | "blockNumber">, address: string): Erc20Token {
  const unasked = { name: "", symbol: "", decimals: 0, logoUri: null, ercType: "ERC-20", metadataStatus: "PENDING" };
  return { chainId, address, firstBlockNumber: blockNumber, ...unasked };
}
