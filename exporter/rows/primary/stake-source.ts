import type { PrimaryExportRequest } from "../../../core/database/operations.ts";
import { nativePriceIds } from "../../../core/networks/prices.ts";
import type { ExportSource, LastBlock } from "../../export-source.ts";
import { primaryClient } from "../../row-clients.ts";
import { cellsOf, columnsOf } from "../column.ts";
import { readAll, readCursor } from "../shared/cursor.ts";
import { type DayCount, sumDays } from "../shared/day-counts.ts";
import { dayOf, timeRange } from "../shared/days.ts";
import { createGrouping } from "../shared/whole-groups.ts";
import { areStillIndexed, isHead, readNetworkBounds } from "./bounds.ts";
import { readNetwork } from "./network.ts";
import { type PrimarySourceConfig, requireConfigured } from "./request.ts";
import { EXPORTED_STAKER, STAKE_COLUMNS } from "./stake-columns.ts";
import { createStakeContext } from "./stake-context.ts";
import { STAKES_QUERY, type StakeFields, stakeCountQuery } from "./stakes.ts";

/** Position before the stakes of the genesis. */
const START = "-2";

/** Stakes of the P-Chain. A request without the P-Chain has no rows. */
export function createStakeSource(request: PrimaryExportRequest, config: PrimarySourceConfig): ExportSource {
  const { networkId, chains } = request;
  requireConfigured(request, config);
  const columns = columnsOf(STAKE_COLUMNS, EXPORTED_STAKER, request);
  const writeCells = cellsOf(columns, request);
  const addresses = request.addresses.map((hex) => Buffer.from(hex.slice(2), "hex"));

  const valuesOf = (bounds: readonly LastBlock[], after: string, beforeDate: string | null) => {
    const { start, end } = timeRange(request, beforeDate);
    return [networkId, addresses, bounds.find(({ chain }) => chain === "P")?.blockNumber, after, start, end];
  };

  return {
    columns,
    async readBounds(clients) {
      const client = primaryClient(clients, networkId);
      await readNetwork(client, networkId);
      if (!chains.includes("P")) return [];
      return (await readNetworkBounds(client, networkId, ["P"])).filter(({ chain }) => chain !== "C");
    },
    // Each block can change the status, the times and the rewards of earlier stakes. There are few stakes, so that a file
    // of an earlier attempt is continued only if no block has been indexed since; otherwise the job starts again.
    async areBlocksStillIndexed(clients, bounds) {
      const client = primaryClient(clients, networkId);
      const last = bounds.find(({ chain }) => chain === "P");
      if (last && !(await isHead(client, networkId, last))) return false;
      return areStillIndexed(client, networkId, bounds, null);
    },
    async countDays(clients, bounds) {
      if (bounds.length === 0) return [];
      const client = primaryClient(clients, networkId);
      return sumDays(await readAll<DayCount>(client, stakeCountQuery(dayOf), valuesOf(bounds, START, null)));
    },
    async *read(clients, bounds, { after, beforeDate, signal }) {
      if (bounds.length === 0) return;
      const client = primaryClient(clients, networkId);
      const network = await readNetwork(client, networkId);
      const loadContext = createStakeContext(clients, {
        networkId,
        network,
        bounds,
        avaxPriceId: nativePriceIds(config.evmChains).get(`0x${network.cChainId.slice(2)}`) ?? null,
        maxPriceAgeSeconds: config.prices.maxAgeSeconds,
      });
      const group = createGrouping<StakeFields>(({ txSeq }) => txSeq);
      const complete = async (fields: readonly StakeFields[], isLast: boolean) => {
        const whole = group(fields, isLast);
        if (whole === null) return null;
        const withContext = await loadContext(whole.items);
        return {
          rows: whole.items.map((row) => writeCells(withContext(row))),
          position: whole.group,
        };
      };
      const query = {
        text: STAKES_QUERY,
        values: valuesOf(bounds, after ?? START, beforeDate),
        settings: { jit: "off" },
      };
      yield* readCursor(client, query, complete, signal);
    },
  };
}
