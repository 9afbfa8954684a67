import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { allColumns } from "../../shared/rows/text-rows.ts";

/** What a page is read from: all messages, those of some chains, those of an address, or those of an address on some chains. */
export type MessageScope = "all" | "chains" | "address" | "addressOnChains";

/** The end of a message that a chain or an address is. */
export type MessageSide = "SENT" | "RECEIVED";

/** The order of messages: newest first. */
export const MESSAGE_ORDER = descending({ message_timestamp: "bigint", message_id: "bytea" });

/** Number of the first parameter of the position. */
export const MESSAGE_POSITION_AT = 1;

/** The columns of each end. */
const SIDES = {
  SENT: { chain: "source", address: "origin_sender_address" },
  RECEIVED: { chain: "destination", address: "destination_address" },
} as const satisfies Record<MessageSide, object>;

/**
 * Positions of a page: `$1` and `$2` position, `$3` limit, `$4` states, `$5` first time, `$6` time after the last one, then the chains (their EVM
 * chain ids, and their blockchain ids in hex) and the address, as far as the scope has them. The messages of each state, end and chain are one range
 * of an index; those of all are merged. A message with both ends among them is listed once.
 */
export function messagePositions(scope: MessageScope, sides: readonly MessageSide[], keyset: Keyset): string {
  const hasChains = scope === "chains" || scope === "addressOnChains";
  const hasAddress = scope === "address" || scope === "addressOnChains";
  const address = hasChains ? "$8" : "$7";
  const ofSide = (side: MessageSide): string => {
    const { chain, address: owner } = SIDES[side];
    const isWanted = [
      ...(hasAddress ? [`t.${owner} = ${address}::bytea`] : []),
      ...(hasChains ? [`t.${chain} = c.chain`] : []),
      "t.state = s.state AND t.message_timestamp >= $5 AND t.message_timestamp < $6",
      keyset.after(),
    ];
    return `SELECT t.message_timestamp, t.message_id FROM unnest($4::text[]) AS s(state)
      ${hasChains ? "CROSS JOIN unnest($7::text[]) AS c(chain)" : ""}, LATERAL (
        SELECT t.message_timestamp, t.message_id FROM icm_messages t WHERE ${isWanted.join(" AND ")}
        ORDER BY ${keyset.orderBy()} LIMIT $3
      ) t`;
  };
  const ranges = (scope === "all" ? (["SENT"] as const) : sides).map(ofSide).join(" UNION ALL ");
  return `SELECT DISTINCT t.message_timestamp, t.message_id FROM (${ranges}) t ORDER BY ${keyset.orderBy()} LIMIT $3`;
}

const MESSAGE_COLUMNS = allColumns("icm_messages");

/** Statement for a page. */
export function messagesStatement(scope: MessageScope, sides: readonly MessageSide[], keyset: Keyset): string {
  return `SELECT ${MESSAGE_COLUMNS} FROM (
      SELECT found.message_id AS id FROM (${messagePositions(scope, sides, keyset)}) found
    ) page, LATERAL (SELECT * FROM icm_messages t WHERE t.message_id = page.id LIMIT 1) t ORDER BY ${keyset.orderBy()}`;
}

/** Messages by id. */
export const MESSAGES_BY_ID = `SELECT ${MESSAGE_COLUMNS} FROM icm_messages t WHERE t.message_id = ANY ($1)`;
