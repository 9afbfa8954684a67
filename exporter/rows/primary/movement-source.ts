import type { PrimaryExportRequest } from "../../../core/database/operations.ts";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { ExportSource, LastBlock } from "../../export-source.ts";
import { primaryClient, type RowClients } from "../../row-clients.ts";
import { cellsOf, columnsOf } from "../column.ts";
import { chainsAfter } from "../shared/chain-positions.ts";
import { type DayCount, sumDays } from "../shared/day-counts.ts";
import { timeRange } from "../shared/days.ts";
import { areStillIndexed, checkVertexTimes, readNetworkBounds } from "./bounds.ts";
import { type ChainReader, createChainReader } from "./movement-chain.ts";
import { EXPORTED_OWNER, MOVEMENT_COLUMNS, SIMPLE_COLUMNS } from "./movement-columns.ts";
import { readNetwork } from "./network.ts";
import { evmChainIdOf, type PrimarySourceConfig, requireConfigured } from "./request.ts";

/** Movements of the chains one after the other, in the order of the request; of each chain the genesis first. */
export function createMovementSource(request: PrimaryExportRequest, config: PrimarySourceConfig): ExportSource {
  const { networkId, chains } = request;
  requireConfigured(request, config);
  const isSimple = request.type === "TRANSACTION_EXPORT_PRIMARY_NETWORK_SIMPLE";
  const columns = columnsOf(isSimple ? SIMPLE_COLUMNS : MOVEMENT_COLUMNS, EXPORTED_OWNER, request);
  const writeCells = cellsOf(columns, request);

  async function createReaders(
    clients: RowClients,
    bounds: readonly LastBlock[],
  ): Promise<(chain: PrimaryChain) => ChainReader> {
    const network = await readNetwork(primaryClient(clients, networkId), networkId);
    return (chain) => createChainReader(clients, { request, config, network, bounds, chain, writeCells });
  }

  return {
    columns,
    async readBounds(clients) {
      const client = primaryClient(clients, networkId);
      await readNetwork(client, networkId);
      const bounds = await readNetworkBounds(client, networkId, chains);
      const owners = request.addresses.map((address) => Buffer.from(address.slice(2), "hex"));
      if (chains.includes("X")) await checkVertexTimes(client, networkId, owners, timeRange(request));
      return bounds;
    },
    async areBlocksStillIndexed(clients, bounds) {
      const client = primaryClient(clients, networkId);
      const evmChainId = evmChainIdOf(config, await readNetwork(client, networkId));
      return areStillIndexed(client, networkId, bounds, evmChainId);
    },
    async countDays(clients, bounds) {
      const readerOf = await createReaders(clients, bounds);
      const counts: DayCount[] = [];
      for (const chain of chains) counts.push(...(await readerOf(chain).countDays()));
      return sumDays(counts);
    },
    async *read(clients, bounds, { after, beforeDate, signal }) {
      const readerOf = await createReaders(clients, bounds);
      for (const place of chainsAfter(chains, (chain) => chain, after))
        yield* readerOf(place.chain).read({ after: place.after, beforeDate, signal });
    },
  };
}
