import type { PrimaryExportRequest } from "../../../core/database/operations.ts";
import { withSettings } from "../../../core/database/transaction-settings.ts";
import { nativePriceIds } from "../../../core/networks/prices.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { LastBlock, ReadOptions, RowBatch } from "../../export-source.ts";
import { primaryClient, type RowClients } from "../../row-clients.ts";
import { boundOf, chainPosition } from "../shared/chain-positions.ts";
import { readAll, readCursor } from "../shared/cursor.ts";
import type { DayCount } from "../shared/day-counts.ts";
import { dayOf, type TimeRange, timeRange } from "../shared/days.ts";
import { createGrouping } from "../shared/whole-groups.ts";
import { boundValues, readSeqRange } from "./bounds.ts";
import { createMovementContext } from "./movement-context.ts";
import {
  GENESIS_QUERY,
  genesisCountQuery,
  isMerged,
  type MovementFields,
  movementCountQuery,
  movementsQuery,
} from "./movements.ts";
import type { ExportedNetwork } from "./network.ts";
import type { PrimarySourceConfig } from "./request.ts";
import type { MovementRow } from "./row.ts";

/** Position of the genesis, before the first transaction. */
const GENESIS = "-1";

export interface ChainReaderOptions {
  readonly request: PrimaryExportRequest;
  readonly config: PrimarySourceConfig;
  readonly network: ExportedNetwork;
  readonly bounds: readonly LastBlock[];
  readonly chain: PrimaryChain;
  readonly writeCells: (row: MovementRow) => string[];
}

/** Reads the movements of one chain up to its bound. */
export interface ChainReader {
  /** If `after` is null, yields the outputs of the genesis first. `after` is the number of a transaction in the chain, or `GENESIS`. */
  read(options: ReadOptions): AsyncGenerator<RowBatch>;
  countDays(): Promise<DayCount[]>;
}

export function createChainReader(clients: RowClients, options: ChainReaderOptions): ChainReader {
  const { request, network, bounds, chain } = options;
  const { networkId } = request;
  const client = primaryClient(clients, networkId);
  const owners = bytesOf(request.addresses);
  const accounts = bytesOf(request.evmAddresses);
  const keys = chain === "C" ? [...owners, ...accounts] : owners;
  const hasGenesis = chain !== "C" && owners.length > 0;

  const genesisValues = ({ start, end }: TimeRange) => [networkId, chain, owners, start, end, boundValues(bounds)];

  async function movementValues(range: TimeRange, after: string) {
    const seqs = await readSeqRange(client, networkId, boundOf(bounds, chain), range);
    const from = BigInt(seqs.from) > BigInt(after) ? seqs.from : String(BigInt(after) + 1n);
    const avax = Buffer.from(network.avaxAssetId.slice(2), "hex");
    const shared = [networkId, chain, owners, accounts, [from, seqs.to], avax, range.start, range.end];
    return [...shared, boundValues(bounds), ...(isMerged(keys.length) ? keys : [keys])];
  }

  return {
    async *read({ after, beforeDate, signal }) {
      const range = timeRange(request, beforeDate);
      const complete = createCompletion(clients, options);
      if (after === null && hasGenesis) {
        const genesis = { text: GENESIS_QUERY, values: genesisValues(range), settings: {} };
        yield* readCursor(client, genesis, complete, signal);
      }
      if (keys.length === 0) return;
      const values = await movementValues(range, after ?? GENESIS);
      yield* readCursor(client, { ...movementsQuery(keys.length), values }, complete, signal);
    },
    async countDays() {
      const range = timeRange(request);
      const counts: DayCount[] = [];
      if (hasGenesis) counts.push(...(await readAll<DayCount>(client, genesisCountQuery(dayOf), genesisValues(range))));
      if (keys.length > 0) {
        const { text, settings } = movementCountQuery(keys.length, dayOf);
        const values = await movementValues(range, GENESIS);
        counts.push(...(await withSettings(client, settings, () => readAll<DayCount>(client, text, values))));
      }
      return counts;
    },
  };
}

/** Makes the rows of whole transactions from what a cursor read. */
function createCompletion(clients: RowClients, options: ChainReaderOptions) {
  const { request, config, network, bounds, chain, writeCells } = options;
  const loadContext = createMovementContext(clients, {
    networkId: request.networkId,
    network,
    chain,
    bounds,
    owners: new Set(request.addresses.map((address) => `\\x${address.slice(2)}`)),
    accounts: new Set(request.evmAddresses.map((address) => address.slice(2))),
    avaxPriceId: nativePriceIds(config.evmChains).get(`0x${network.cChainId.slice(2)}`) ?? null,
    maxPriceAgeSeconds: config.prices.maxAgeSeconds,
  });
  const group = createGrouping<MovementFields>(({ txSeq }) => txSeq);
  return async (fields: readonly MovementFields[], isLast: boolean): Promise<RowBatch | null> => {
    const whole = group(fields, isLast);
    if (whole === null) return null;
    const withContext = await loadContext(whole.items);
    return {
      rows: whole.items.map((row) => writeCells(withContext(row))),
      position: chainPosition(chain, whole.group),
    };
  };
}

const bytesOf = (hexes: readonly string[]): Buffer[] => hexes.map((hex) => Buffer.from(hex.slice(2), "hex"));
