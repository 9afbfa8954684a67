import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import { type Keyset, of } from "../../shared/rows/keyset.ts";
import { columnOf, isInRange, LATEST_START, orderOf, rangeOf, type StakerOrder, stakerPosition } from "./order.ts";
import { STAKER_COLUMNS, type StakerRow } from "./rows.ts";
import { possibleStatusesSql, type StakerKind, statusSql, type ValidationStatus } from "./status.ts";

type Types = Readonly<Record<string, string>>;

interface NestedStakers {
  readonly name: string;
  readonly kind: StakerKind;
  /** Columns of the parent's key that each staker has, with their types. */
  readonly columns: Types;
  /** Further values of the parent's key, which `where` uses. */
  readonly further?: Types;
  readonly where?: string;
}

/**
 * Options of a nested list of stakers. The parent's key has the network ID, `columns`, the `further` values that `where` uses, a status
 * filter (empty: any), and the range of the order (`rangeOf`). `now`, the time of the first page, is kept in the positions, so that
 * all pages of a list determine statuses for that time. The rows of each status are one range of an index.
 */
export function nestedStakers(
  { name, kind, columns, further = {}, where = "true" }: NestedStakers,
  order: Pick<StakerOrder, "field" | "direction"> = LATEST_START,
) {
  const isChild = Object.keys(columns).map((column) => `t.${column} = k.${column}`);
  const { type } = columnOf(order.field);
  return {
    name,
    key: { network_id: "bigint", ...columns, ...further, wanted: "text", range_from: type, range_to: type },
    kept: { now: "bigint" },
    order: orderOf(order),
    head: P_CHAIN_HEAD,
    select: ({ after, orderBy }: Keyset) => `SELECT ${STAKER_COLUMNS}, k.now
      FROM unnest(${possibleStatusesSql(kind, "k.wanted")}) AS of_status(row_status), LATERAL (
        SELECT * FROM stakers t
        WHERE t.network_id = $1 AND t.kind = '${kind}' AND ${isChild.join(" AND ")} AND t.status = of_status.row_status AND ${where}
          AND ${isInRange(order.field, "k.range_from", "k.range_to")} AND ${after()}
          AND (k.wanted = '' OR ${statusSql("k.now")} = k.wanted)
        ORDER BY ${orderBy()} LIMIT k.size + 1
      ) t ORDER BY ${orderBy()}`,
    positionOf: (row: StakerRow & { readonly now: string }) => [row.now, ...stakerPosition(order, row)],
  };
}

/** The last values of the key of a parent: the wanted status, and the range of the order. */
export const keyOfList = (status: ValidationStatus | null | undefined, order: StakerOrder = LATEST_START): string[] => [
  status ?? "",
  ...rangeOf(order),
];

/** The same for the stakers whose rewards an address owns. The parent's key has the network ID, the address as BYTEA, and `keyOfList`. */
export function nestedStakersOfOwner(name: string, kind: StakerKind) {
  return {
    ...nestedStakers({ name, kind, columns: { address: "bytea" } }),
    select: ({ after, orderBy }: Keyset) => `SELECT s.*, k.now FROM staker_owners o, LATERAL (
        SELECT ${STAKER_COLUMNS} FROM stakers t WHERE t.network_id = $1 AND t.tx_hash = o.tx_hash
          AND (k.wanted = '' OR ${statusSql("k.now")} = k.wanted) LIMIT 1
      ) s
      WHERE o.network_id = $1 AND o.kind = '${kind}' AND o.address = k.address AND ${after(of("o"))}
      ORDER BY ${orderBy(of("o"))}`,
  };
}
