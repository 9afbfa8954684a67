import type { ClientBase } from "pg";
import type { Config, EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { MethodTable } from "../../../core/networks/methods/table.ts";
import { evmClient, mainClient, type RowClients } from "../../row-clients.ts";
import { cachedLookup } from "../shared/cached-lookup.ts";
import { hexText } from "../shared/cells.ts";
import { readAll } from "../shared/cursor.ts";
import { isoTime } from "../shared/days.ts";
import { createPriceLookup, priceKey } from "../shared/prices.ts";
import type { EvmRow, Token } from "./row.ts";
import type { EvmFields } from "./statements.ts";

const ERC20_TOKENS = `SELECT address, name, symbol, decimals FROM erc20_tokens
  WHERE chain_id = $1 AND address = ANY ($2::bytea[]) AND metadata_status = 'INDEXED'`;
const NFT_CONTRACTS = `SELECT address, name, symbol, NULL AS decimals FROM nft_contracts
  WHERE chain_id = $1 AND address = ANY ($2::bytea[]) AND metadata_status = 'INDEXED'`;
const BASE_FEES = `SELECT block_number AS "blockNumber", base_fee AS "baseFee" FROM evm_blocks
  WHERE chain_id = $1 AND block_number = ANY ($2::bigint[])`;

/** Tokens that a job caches. */
const TOKENS = 20_000;
/** Blocks whose base fees a job caches. */
const BLOCKS = 4_000;

/** What determines the context of a chain's rows, apart from the tables. */
export interface EvmRowContextOptions {
  readonly config: Pick<Config, "prices">;
  readonly chain: EvmChainConfig;
  readonly methods: MethodTable;
  /** Exported addresses, as `\x` hex. */
  readonly own: ReadonlySet<string>;
}

/**
 * Returns a function that loads the context of a batch of rows from other tables, with at most four statements. Its result is a
 * function that adds this context to a row of the batch.
 */
export function createEvmRowContext(
  clients: RowClients,
  { config, chain, methods, own }: EvmRowContextOptions,
): (rows: readonly EvmFields[]) => Promise<(row: EvmFields) => EvmRow> {
  const client = evmClient(clients, chain.chainId);
  const tokensIn = (statement: string) =>
    cachedLookup<Token>((keys) => readTokens(client, statement, chain, keys), TOKENS);
  const erc20Tokens = tokensIn(ERC20_TOKENS);
  const nftContracts = tokensIn(NFT_CONTRACTS);
  const baseFees = cachedLookup<string>((keys) => readBaseFees(client, chain, keys), BLOCKS);
  const prices = createPriceLookup(mainClient(clients), config.prices.maxAgeSeconds);
  const assetOf = assetsOf(chain);
  const { name, symbol, decimals } = chain.networkToken;
  const nativeToken: Token = { name, symbol, decimals };

  return async (rows) => {
    const keys = keysOf(rows, assetOf);
    const erc20 = await erc20Tokens(keys.erc20Tokens);
    const nfts = await nftContracts(keys.nftContracts);
    const fees = await baseFees(keys.nativeBlocks);
    const priced = await prices(keys.prices);
    let time = { timestamp: "", text: "" };
    return (fields) => {
      const { rowType, tokenAddress, blockTimestamp, blockNumber } = fields;
      if (time.timestamp !== blockTimestamp) time = { timestamp: blockTimestamp, text: isoTime(blockTimestamp) };
      const asset = assetOf(fields);
      const isNative = rowType === "NATIVE";
      return {
        chain,
        fields,
        time: time.text,
        ...sidesOf(fields, own),
        token: tokenAddress === null ? nativeToken : ((rowType === "ERC20" ? erc20 : nfts).get(tokenAddress) ?? null),
        price: asset === null ? null : (priced.get(priceKey(asset, blockTimestamp)) ?? null),
        baseFee: isNative ? (fees.get(blockNumber) ?? null) : null,
        method: isNative ? methods.of({ to: fields.to, input: hexText(fields.selector) }) : null,
        fee: isNative && own.has(fields.from) ? BigInt(fields.gasUsed ?? 0) * BigInt(fields.gasPrice ?? 0) : null,
      };
    };
  };
}

/** Returns a function that returns the price id of what a row transfers; null if it has none. */
function assetsOf({ networkToken, tokenPriceIds }: EvmChainConfig): (row: EvmFields) => string | null {
  const byAddress = new Map(
    Object.entries(tokenPriceIds).map(([address, id]) => [`\\x${address.slice(2).toLowerCase()}`, id]),
  );
  const native = networkToken.priceId ?? null;
  return ({ rowType, tokenAddress }) => {
    if (tokenAddress === null) return native;
    return rowType === "ERC20" ? (byAddress.get(tokenAddress) ?? null) : null;
  };
}

function keysOf(rows: readonly EvmFields[], assetOf: (row: EvmFields) => string | null) {
  const keys = {
    erc20Tokens: new Set<string>(),
    nftContracts: new Set<string>(),
    nativeBlocks: new Set<string>(),
    prices: new Set<string>(),
  };
  for (const row of rows) {
    if (row.rowType === "NATIVE") keys.nativeBlocks.add(row.blockNumber);
    if (row.tokenAddress !== null)
      (row.rowType === "ERC20" ? keys.erc20Tokens : keys.nftContracts).add(row.tokenAddress);
    const asset = assetOf(row);
    if (asset !== null) keys.prices.add(priceKey(asset, row.blockTimestamp));
  }
  return keys;
}

function sidesOf(row: EvmFields, own: ReadonlySet<string>): Pick<EvmRow, "direction" | "exported"> {
  const { from, to, contractAddress, txStatus } = row;
  // The receipt has the address of a contract also if its creation failed.
  const recipient = to ?? (txStatus === "1" ? contractAddress : null);
  const received = recipient !== null && own.has(recipient) ? [recipient] : [];
  if (!own.has(from)) return { direction: "IN", exported: received };
  const isSelf = received.length > 0;
  return { direction: isSelf ? "SELF" : "OUT", exported: recipient === from ? received : [from, ...received] };
}

type TokenRow = Record<"address" | "name" | "symbol", string> & { readonly decimals: string | null };

async function readTokens(
  client: ClientBase,
  statement: string,
  { chainId }: EvmChainConfig,
  addresses: readonly string[],
): Promise<(readonly [string, Token])[]> {
  const rows = await readAll<TokenRow>(client, statement, [chainId, addresses]);
  return rows.map(({ address, name, symbol, decimals }) => [
    address,
    { name, symbol, decimals: decimals === null ? null : Number(decimals) },
  ]);
}

async function readBaseFees(
  client: ClientBase,
  { chainId }: EvmChainConfig,
  blocks: readonly string[],
): Promise<(readonly [string, string])[]> {
  const rows = await readAll<Record<"blockNumber" | "baseFee", string>>(client, BASE_FEES, [chainId, blocks]);
  return rows.map(({ blockNumber, baseFee }) => [blockNumber, baseFee]);
}
