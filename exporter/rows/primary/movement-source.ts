import type { ClientBase } from "pg";
import type { PrimaryExportRequest } from "../../../core/operations.ts";
import { nativePriceIds } from "../../../core/prices.ts";
import type { PrimaryChain } from "../../../core/primary-chains.ts";
import type { Bound, ExportSource, ReadOptions, RowBatch } from "../../export-source.ts";
import { cellsOf } from "../column.ts";
import { boundOf, chainPosition, chainsAfter } from "../shared/chain-positions.ts";
import { readAll, readCursor, withSettings } from "../shared/cursor.ts";
import { type DayCount, sumDays } from "../shared/day-counts.ts";
import { dayOf, type TimeRange, timeRange } from "../shared/days.ts";
import { createGrouping } from "../shared/whole-groups.ts";
import { boundValues, holdsBounds, readNetworkBounds, readSeqRange } from "./bounds.ts";
import { MOVEMENT_COLUMNS, SIMPLE_COLUMNS } from "./movement-columns.ts";
import { createMovementFacts } from "./movement-facts.ts";
import {
  GENESIS_QUERY,
  genesisCountQuery,
  isMerged,
  type MovementFields,
  movementCountQuery,
  movementsQuery,
} from "./movements.ts";
import { type PrimaryNetworkFacts, readNetwork } from "./network.ts";
import { evmChainIdOf, type PrimarySourceConfig, requireConfigured } from "./request.ts";

/** Position of the genesis, before the first transaction. */
const GENESIS = "-1";

/** Movements of the chains one after the other, in the order of the request; of each chain the genesis first. */
export function createMovementSource(request: PrimaryExportRequest, config: PrimarySourceConfig): ExportSource {
  const { networkId, chains } = request;
  requireConfigured(request, config);
  const isSimple = request.type === "TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE";
  const columns = isSimple ? SIMPLE_COLUMNS : MOVEMENT_COLUMNS;
  const writeCells = cellsOf(columns);
  const bytesOf = (hexes: readonly string[]) => hexes.map((hex) => Buffer.from(hex.slice(2), "hex"));
  const owners = bytesOf(request.addresses);
  const accounts = bytesOf(request.evmAddresses);
  const keysOf = (chain: PrimaryChain) => (chain === "C" ? [...owners, ...accounts] : owners);
  const priceIds = nativePriceIds(config.evmChains);

  async function valuesOf(
    client: ClientBase,
    network: PrimaryNetworkFacts,
    bounds: readonly Bound[],
    { chain, range, after }: { readonly chain: PrimaryChain; readonly range: TimeRange; readonly after: string },
  ) {
    const keys = keysOf(chain);
    const seqs = await readSeqRange(client, networkId, boundOf(bounds, chain), range);
    const from = BigInt(seqs.from) > BigInt(after) ? seqs.from : String(BigInt(after) + 1n);
    const { start, end } = range;
    const shared = [networkId, chain, owners, accounts, [from, seqs.to], bufferOf(network.avaxAssetId), start, end];
    return [...shared, boundValues(bounds), ...(isMerged(keys.length) ? keys : [keys])];
  }

  async function* readChain(
    client: ClientBase,
    network: PrimaryNetworkFacts,
    bounds: readonly Bound[],
    options: ChainRead,
  ) {
    const { chain, after, beforeDate, signal } = options;
    const range = timeRange(request, beforeDate);
    const facts = createMovementFacts(client, {
      networkId,
      network,
      chain,
      bounds,
      accounts: new Set(request.evmAddresses.map((address) => address.slice(2))),
      avaxPriceId: priceIds.get(`0x${network.cChainId.slice(2)}`) ?? null,
      maxPriceAgeSeconds: config.prices.maxAgeSeconds,
    });
    const group = createGrouping<MovementFields>(({ txSeq }) => txSeq);
    const complete = async (fields: readonly MovementFields[], isLast: boolean) => {
      const whole = group(fields, isLast);
      if (whole === null) return () => null;
      const withFacts = await facts(whole.items);
      return (): RowBatch => ({
        rows: whole.items.map((row) => writeCells(withFacts(row))),
        position: chainPosition(chain, whole.group),
      });
    };
    if (after === null && chain !== "C" && owners.length > 0) {
      const values = [networkId, chain, owners, range.start, range.end, boundValues(bounds)];
      yield* readCursor(client, { text: GENESIS_QUERY, values, settings: {} }, complete, signal);
    }
    const keyCount = keysOf(chain).length;
    if (keyCount === 0) return;
    const values = await valuesOf(client, network, bounds, { chain, range, after: after ?? GENESIS });
    yield* readCursor(client, { ...movementsQuery(keyCount), values }, complete, signal);
  }

  async function countChain(
    client: ClientBase,
    network: PrimaryNetworkFacts,
    bounds: readonly Bound[],
    chain: PrimaryChain,
  ): Promise<DayCount[]> {
    const range = timeRange(request);
    const keyCount = keysOf(chain).length;
    const counts: DayCount[] = [];
    if (chain !== "C" && owners.length > 0) {
      const values = [networkId, chain, owners, range.start, range.end, boundValues(bounds)];
      counts.push(...(await readAll<DayCount>(client, genesisCountQuery(dayOf), values)));
    }
    if (keyCount > 0) {
      const { text, settings } = movementCountQuery(keyCount, dayOf);
      const values = await valuesOf(client, network, bounds, { chain, range, after: GENESIS });
      counts.push(...(await withSettings(client, settings, () => readAll<DayCount>(client, text, values))));
    }
    return counts;
  }

  return {
    columns,
    async readBounds(client) {
      await readNetwork(client, networkId);
      return readNetworkBounds(client, networkId, chains);
    },
    async holds(client, bounds) {
      const evmChainId = evmChainIdOf(config, await readNetwork(client, networkId));
      return holdsBounds(client, networkId, bounds, evmChainId);
    },
    async countDays(client, bounds) {
      const network = await readNetwork(client, networkId);
      const counts: DayCount[] = [];
      for (const chain of chains) counts.push(...(await countChain(client, network, bounds, chain)));
      return sumDays(counts);
    },
    async *read(client, bounds, { after, beforeDate, signal }) {
      const network = await readNetwork(client, networkId);
      for (const place of chainsAfter(chains, (chain) => chain, after))
        yield* readChain(client, network, bounds, { ...place, beforeDate, signal });
    },
  };
}

interface ChainRead extends ReadOptions {
  readonly chain: PrimaryChain;
}

const bufferOf = (bytes: string): Buffer => Buffer.from(bytes.slice(2), "hex");
