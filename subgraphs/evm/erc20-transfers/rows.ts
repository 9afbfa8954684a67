import { type RichAddress, richAddress } from "../addresses/types.ts";
import type { Erc20TokenStore } from "../erc20-tokens/store.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";
import type { Erc20Transfer } from "./types.ts";

type AddressField = "from" | "to" | "erc20Token";

/** A transfer as statements return it: token, sender and recipient are plain addresses. */
export type Erc20TransferRow = Omit<Erc20Transfer, AddressField> & Record<AddressField, string>;

/**
 * Adds the token, and token metadata of sender and recipient, to transfers. The result is plain objects, so that no field
 * has to be resolved for each row. One statement for each chain among the rows.
 */
export async function withTokens(rows: readonly Erc20TransferRow[], tokens: Erc20TokenStore): Promise<Erc20Transfer[]> {
  const chainIds = new Set<string>();
  for (const row of rows) chainIds.add(row.chainId);
  const completers = new Map<string, Complete>();
  for (const chainId of chainIds) completers.set(chainId, await completeOf(chainId, rows, tokens));
  return rows.map((row) => (completers.get(row.chainId) as Complete)(row));
}

type Complete = (row: Erc20TransferRow) => Erc20Transfer;

async function completeOf(
  chainId: string,
  rows: readonly Erc20TransferRow[],
  tokens: Erc20TokenStore,
): Promise<Complete> {
  const addresses = new Set<string>();
  for (const row of rows) if (row.chainId === chainId) addresses.add(row.erc20Token).add(row.from).add(row.to);
  const found = await tokens.among(chainId, addresses);
  const rich = new Map<string, RichAddress>();
  for (const address of addresses) rich.set(address, richAddress(address, found.get(address)));
  // An object literal: spreading the row took a sixth of the time of a page.
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
    erc20Token: found.get(erc20Token) ?? pendingToken(chainId, blockNumber, erc20Token),
  });
}

/** Replaces a token whose row was removed by a reorganisation after the transfers were read. */
function pendingToken(chainId: string, firstBlockNumber: string, address: string): Erc20Token {
  return {
    chainId,
    address,
    firstBlockNumber,
    name: "",
    symbol: "",
    decimals: 0,
    logoUri: null,
    ercType: "ERC-20",
    metadataStatus: "PENDING",
  };
}
