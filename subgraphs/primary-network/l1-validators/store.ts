import { type Database, P_CHAIN_HEAD, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Keyset } from "../../shared/rows/keyset.ts";
import { createListReader, exactly, type ListReader } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { inEachNetwork } from "../networks/by-network.ts";
import type { Networks } from "../networks/store.ts";
import { createOrderedLists, type OrderedList } from "../stakers/ordered-lists.ts";
import type { StakerTotals } from "../stakers/totals.ts";
import { createL1ValidatorsByKey, type L1ValidationKey } from "./by-key.ts";
import { filterOf, optionsOf, TOTALS, totalValues, valuesOf } from "./list.ts";
import { isInRange, type L1ValidatorOrder, NEWEST_L1, orderOf, rangeOf } from "./order.ts";
import { COLUMNS, type L1ValidatorRow, l1ValidatorFromRow } from "./rows.ts";
import type { L1Validator, L1ValidatorConnection, L1ValidatorsArgs } from "./types.ts";

export interface L1ValidatorStore {
  /** A page, newest first, with the block height that it reflects. One statement. Throws like `Networks.require`. */
  page(args: L1ValidatorsArgs, work: Work): Promise<L1ValidatorConnection>;
  /** L1 validators by validation ID, including removed ones, in any order. */
  byKey(keys: readonly L1ValidationKey[], work: Work): Promise<L1Validator[]>;
  /** L1 validators of a subnet. Parent key: network ID, subnet as BYTEA, `keyOfList`. Call once per request. */
  ofSubnet(work: Work): OrderedList<L1ValidatorOrder, L1Validator>;
  /** Like `ofSubnet`, for a node, newest first. */
  ofNode(work: Work): NestedList<L1Validator>;
}

type PageRow = { readonly blockHeight: string } & (L1ValidatorRow | { readonly validationId: null });

/** The validators of each status are one range of an index; those of all wanted statuses are merged. */
const nested = (column: "subnet_id" | "node_id", order: L1ValidatorOrder) => ({
  name: `l1-validators-below-${column}`,
  key: { network_id: "bigint", [column]: "bytea", statuses: "text", range_from: "numeric", range_to: "numeric" },
  order: orderOf(order),
  head: P_CHAIN_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS}
    FROM unnest(string_to_array(k.statuses, ',')) AS s(status), LATERAL (
      SELECT * FROM l1_validators t WHERE t.network_id = $1 AND t.${column} = k.${column}
        AND t.is_removed = (s.status = 'REMOVED') AND t.is_active = (s.status = 'ACTIVE')
        AND ${isInRange(order, "k.range_from", "k.range_to")} AND ${after()}
      ORDER BY ${orderBy()} LIMIT k.size + 1
    ) t ORDER BY ${orderBy()}`,
  positionOf: (row: L1ValidatorRow) => [sortedValue(order, row), row.validatorSeq],
});

/** The last values of the key of a parent: the wanted statuses, separated by commas, and the range of the order. */
export const keyOfList = (statuses: string, order: L1ValidatorOrder = NEWEST_L1): string[] => [
  statuses,
  ...rangeOf(order),
];

export function createL1ValidatorStore(
  database: Pick<Database, "pool" | "prisma">,
  pageTokens: PageTokens,
  networks: Networks,
): L1ValidatorStore {
  const { pool } = database;
  const readers = new Map<string, ListReader<PageRow>>();
  const totals = prepared<{ count: string; weight: string }>(pool, "l1-validator-totals", TOTALS);
  const byKey = createL1ValidatorsByKey(database);
  const fromRows = inEachNetwork(networks, async (network, rows: readonly L1ValidatorRow[]) =>
    rows.map((row) => l1ValidatorFromRow(network, row)),
  );
  return {
    async page(args, work) {
      const network = await networks.require(args.network, "P");
      const filter = filterOf(args);
      const { networkId } = network;
      const { order } = filter;
      const options = optionsOf(filter);
      const reader = readers.get(options.name) ?? createListReader<PageRow>(pool, options);
      readers.set(options.name, reader);
      const hasRange = order.from != null || order.to != null;
      const values = (from: PageFrom) => valuesOf(networkId, filter, from);
      let read: Promise<StakerTotals> | undefined;
      const total = async () => {
        if (hasRange || filter.id || filter.node) return null;
        read ??= totals(totalValues(networkId, filter), work).then(([row]) => row as StakerTotals);
        return read;
      };
      let blockHeight = "-1";
      const page = await readListPage<L1ValidatorRow>(pageTokens, {
        list: "l1Validators",
        parameters: [networkId, ...Object.values({ ...filter, order: Object.values(order) })],
        page: args,
        ends: reader.ends,
        async read(from) {
          const { rows, heads } = await reader.read(values, from, work);
          blockHeight = rows[0]?.blockHeight ?? "-1";
          if (blockHeight === "-1")
            throw new Failure("UNAVAILABLE", `p-chain of network ${network.network} is not indexed yet`);
          return { rows: rows.filter(isValidator), heads };
        },
        async count() {
          const counted = await total();
          return counted ? exactly(counted.count) : reader.count(values, work);
        },
        positionOf: (row) => [sortedValue(order, row), row.validatorSeq],
      });
      const validators = page.nodes.map((row) => l1ValidatorFromRow(network, row));
      return page.withNodes(validators).with({ network: network.network, blockHeight, totals: total });
    },
    byKey: async (keys, work) => fromRows(await byKey(keys, work), work),
    ofSubnet: createOrderedLists(pool, pageTokens, (order: L1ValidatorOrder) => nested("subnet_id", order), fromRows),
    ofNode: createNestedList(pool, pageTokens, nested("node_id", NEWEST_L1), fromRows),
  };
}

const isValidator = (row: PageRow): row is PageRow & L1ValidatorRow => row.validationId !== null;

function sortedValue({ field }: L1ValidatorOrder, row: L1ValidatorRow): string {
  if (field === "BALANCE") return row.endAccumulatedFee;
  return field === "WEIGHT" ? row.weight : row.creationTimestamp;
}
