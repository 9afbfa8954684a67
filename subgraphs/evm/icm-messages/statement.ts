import { descending, type Keyset, keysetOf, type Order, sorted } from "../../shared/rows/keyset.ts";
import type { NestedSelect } from "../../shared/rows/nested-list.ts";
import { allColumns } from "../../shared/rows/text-rows.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";

/** What a page is read from: all messages, those of some chains, those of an address, or those of an address on some chains. */
export type MessageScope = "all" | "chains" | "address" | "addressOnChains";

/** The end of a message that a chain or an address is. */
export type MessageSide = "SENT" | "RECEIVED";

/** The columns of each end. */
const SIDES = {
  SENT: { chain: "source", address: "origin_sender_address" },
  RECEIVED: { chain: "destination", address: "destination_address" },
} as const satisfies Record<MessageSide, object>;

const MESSAGE_COLUMNS = allColumns("icm_messages");

/** Messages by id. */
export const MESSAGES_BY_ID = `SELECT ${MESSAGE_COLUMNS} FROM icm_messages t WHERE t.message_id = ANY ($1)`;

/** Grows with every block of any chain. */
export const HEAD_OF_ALL = "SELECT indexed_blocks()";

interface MessageList {
  readonly scope: MessageScope;
  readonly sides: readonly MessageSide[];
  /** By time. */
  readonly order: SortOrder;
}

const NEWEST_FIRST = descending({ message_timestamp: "bigint", message_id: "bytea" });

/**
 * A list of messages. Its key: the states, the values of the columns `source` or `destination`, the address, and the range of times. States and
 * values are joined with commas. A part that the scope does not have is empty. Lists with the same states are read together.
 */
export function messagesSelect(list: MessageList): NestedSelect & { readonly head: string } {
  const order = sorted(NEWEST_FIRST, list.order);
  const positions = (keyset: Keyset): string => messagePositions(list, order, keyset);
  return {
    key: { states: "text", chains: "text", address: "bytea", from_time: "bigint", to_time: "bigint" },
    order,
    // The condition is always true: it gives the parameter a type where the head is read alone.
    head: `${HEAD_OF_ALL} WHERE $1 <> ''`,
    select: (keyset) => `SELECT ${MESSAGE_COLUMNS} FROM (
        SELECT found.message_id AS id FROM (${positions(keyset)} LIMIT k.size + 1) found
      ) page, LATERAL (SELECT * FROM icm_messages t WHERE t.message_id = page.id LIMIT 1) t ORDER BY ${keyset.orderBy()}`,
    selectCounted: positions,
  };
}

/**
 * Positions of a page. The messages of each state, end and chain are one range of an index; those of all are merged. A message with both ends among
 * them is listed once.
 */
function messagePositions({ scope, sides }: MessageList, order: Order, keyset: Keyset): string {
  const hasChains = scope === "chains" || scope === "addressOnChains";
  const hasAddress = scope === "address" || scope === "addressOnChains";
  const { after } = keysetOf(order, ["r.message_timestamp", "r.message_id"], keyset.isBackward);
  const ofSide = (side: MessageSide): string => {
    const { chain, address } = SIDES[side];
    const isWanted = [
      ...(hasAddress ? [`t.${address} = k.address`] : []),
      ...(hasChains ? [`t.${chain} = c.chain`] : []),
      `t.state = s.state AND ${after()} AND ${endOf(keyset)}`,
    ];
    return `SELECT t.message_timestamp, t.message_id FROM unnest(string_to_array($1, ',')) AS s(state)
      ${hasChains ? "CROSS JOIN unnest(string_to_array(k.chains, ',')) AS c(chain)" : ""}, LATERAL (
        SELECT t.message_timestamp, t.message_id FROM icm_messages t WHERE ${isWanted.join(" AND ")}
        ORDER BY ${keyset.orderBy()} LIMIT k.size + 1
      ) t`;
  };
  const ranges = (scope === "all" ? (["SENT"] as const) : sides).map(ofSide).join(" UNION ALL ");
  return `SELECT DISTINCT t.message_timestamp, t.message_id FROM (${startOf(keyset)}) r, LATERAL (${ranges}) t
    ORDER BY ${keyset.orderBy()}`;
}

/**
 * One row: the position of `k`, or that at which the range of times begins in the direction of the page, if the position is before it. So all
 * conditions on the start of the page are one.
 */
function startOf({ isDescending }: Keyset): string {
  const [start, isInside] = isDescending
    ? ["least(k.message_timestamp, k.to_time)", "k.message_timestamp < k.to_time"]
    : ["greatest(k.message_timestamp, k.from_time)", "k.message_timestamp >= k.from_time"];
  return `SELECT ${start} AS message_timestamp, CASE WHEN ${isInside} THEN k.message_id ELSE '' END AS message_id OFFSET 0`;
}

/** Condition: a message is before the end of the range of times in the direction of the page. */
const endOf = ({ isDescending }: Keyset): string =>
  isDescending ? "t.message_timestamp >= k.from_time" : "t.message_timestamp < k.to_time";
