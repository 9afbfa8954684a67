import type { ClientBase } from "pg";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { LastBlock } from "../../export-source.ts";
import { mainClient, primaryClient, type RowClients } from "../../row-clients.ts";
import { cachedLookup } from "../shared/cached-lookup.ts";
import { readAll } from "../shared/cursor.ts";
import { isoTime } from "../shared/days.ts";
import { createPriceLookup, priceKey } from "../shared/prices.ts";
import type { MovementFields } from "./movements.ts";
import type { ExportedNetwork } from "./network.ts";
import type { Account, Asset, MovementRow } from "./row.ts";

/** Assets whose creation is below the bound of the X-Chain; those of the genesis have no transaction. */
const ASSETS = `SELECT a.asset_id AS "assetId", a.name, a.symbol, a.denomination
  FROM primary_assets a LEFT JOIN LATERAL (SELECT tx_seq FROM primary_transactions t
    WHERE t.network_id = $1 AND t.tx_hash = a.asset_id LIMIT 1) t ON true
  WHERE a.network_id = $1 AND a.asset_id = ANY ($2::bytea[]) AND (t.tx_seq IS NULL OR t.tx_seq < $3)`;

/** Assets that a job caches. */
const KNOWN_ASSETS = 10_000;

/** Returns a function that looks up the assets of a batch by id in `\x` hex. */
export function createAssetLookup(client: ClientBase, networkId: number, bounds: readonly LastBlock[]) {
  const transactionCount = bounds.find(({ chain }) => chain === "X")?.transactionCount ?? 0;
  return cachedLookup<Asset>(async (ids) => {
    const rows = await readAll<Record<"assetId" | "name" | "symbol" | "denomination", string>>(client, ASSETS, [
      networkId,
      ids,
      transactionCount,
    ]);
    return rows.map(({ assetId, name, symbol, denomination }) => [
      assetId,
      { name, symbol, decimals: Number(denomination) },
    ]);
  }, KNOWN_ASSETS);
}

export interface MovementContextOptions {
  readonly networkId: number;
  readonly network: ExportedNetwork;
  readonly chain: PrimaryChain;
  readonly bounds: readonly LastBlock[];
  /** Exported addresses, as `\x` hex. */
  readonly owners: ReadonlySet<string>;
  /** Exported accounts of the C-Chain, in hex without `0x`. */
  readonly accounts: ReadonlySet<string>;
  /** Price id of AVAX; null if it has none. */
  readonly avaxPriceId: string | null;
  readonly maxPriceAgeSeconds: number;
}

/**
 * Returns a function that loads the context of a batch of rows from other tables. Its result is a function that adds this
 * context to a row. It must be called for all rows of the batch, in their order.
 */
export function createMovementContext(
  clients: RowClients,
  options: MovementContextOptions,
): (rows: readonly MovementFields[]) => Promise<(row: MovementFields) => MovementRow> {
  const { network, chain, owners, avaxPriceId } = options;
  const assets = createAssetLookup(primaryClient(clients, options.networkId), options.networkId, options.bounds);
  const prices = createPriceLookup(mainClient(clients), options.maxPriceAgeSeconds);
  const isAvax = ({ assetId }: MovementFields): boolean => assetId === network.avaxAssetId;
  const priceKeyOf = (fields: MovementFields): string | null =>
    avaxPriceId !== null && (isAvax(fields) || fields.burnedAvax !== null)
      ? priceKey(avaxPriceId, fields.blockTimestamp)
      : null;

  return async (rows) => {
    const known = await assets(new Set(rows.map(({ assetId }) => assetId)));
    const priced = await prices(new Set(rows.map(priceKeyOf).filter((key) => key !== null)));
    let txSeq = "";
    return (fields) => {
      const isFirst = fields.txSeq !== txSeq || fields.txSeq === "-1";
      txSeq = fields.txSeq;
      const accounts = accountsOf(fields);
      const key = priceKeyOf(fields);
      const avaxPrice = key === null ? null : (priced.get(key) ?? null);
      return {
        network,
        chain,
        fields,
        owners,
        time: isoTime(fields.blockTimestamp),
        asset: known.get(fields.assetId) ?? null,
        price: isAvax(fields) ? avaxPrice : null,
        avaxPrice,
        accounts: [...accounts.debited, ...accounts.credited],
        hasTransactionAmounts:
          isFirst &&
          (fields.type.startsWith("DEBIT") || accounts.debited.some(({ address }) => options.accounts.has(address))),
      };
    };
  };
}

interface Accounts {
  readonly debited: readonly Account[];
  readonly credited: readonly Account[];
}

const NO_ACCOUNTS: Accounts = { debited: [], credited: [] };

/** The JSON that the indexer writes for an atomic transaction of the C-Chain. */
interface Details {
  readonly evmInputs?: readonly Account[];
  readonly evmOutputs?: readonly Account[];
}

function accountsOf({ details }: MovementFields): Accounts {
  if (details === null) return NO_ACCOUNTS;
  const { evmInputs = [], evmOutputs = [] } = JSON.parse(details) as Details;
  return { debited: evmInputs, credited: evmOutputs };
}
