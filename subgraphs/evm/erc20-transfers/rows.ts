import type { NamedAddress } from "../addresses/named-addresses.ts";
import { type AddressColumns, withRichAddresses } from "../addresses/with-rich-addresses.ts";
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
export async function withTokens(
  rows: readonly Erc20TransferRow[],
  tokens: Pick<Erc20TokenStore, "among">,
): Promise<Erc20Transfer[]> {
  const named: NamedAddress[] = [];
  const items = await withRichAddresses(rows, tokens, (row, columns) => {
    named.push(columns.token(row.erc20Token));
    return withoutToken(row, columns);
  });
  items.forEach((item, at) => {
    const { token, rich } = named[at] as NamedAddress;
    item.erc20Token = token ?? pendingToken(item.chainId, item.blockNumber, rich.address);
  });
  return items;
}

/** An object literal: spreading the row took a sixth of the time of a page. */
function withoutToken(row: Erc20TransferRow, columns: AddressColumns): Erc20Transfer {
  return {
    chainId: row.chainId,
    blockNumber: row.blockNumber,
    blockTimestamp: row.blockTimestamp,
    blockHash: row.blockHash,
    txHash: row.txHash,
    from: columns.from(row.from).rich,
    to: columns.to(row.to).rich,
    logIndex: row.logIndex,
    value: row.value,
    erc20Token: NO_TOKEN,
  };
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

/** What a transfer has until the tokens are read. */
const NO_TOKEN = pendingToken("", "0", "");
