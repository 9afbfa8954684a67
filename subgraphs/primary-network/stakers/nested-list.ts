import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { STAKER_COLUMNS, type StakerRow } from "./rows.ts";
import { type StakerKind, statusSql } from "./status.ts";

type Types = Readonly<Record<string, string>>;

/**
 * Options of a nested list of stakers, latest start first, without its start. The parent's key has the network ID, `columns`, the `further`
 * values that `where` uses, and a status filter (empty: any). `now`, the time of the first page, is part of the position, so that
 * all pages of a list determine statuses for that time.
 */
export function nestedStakers(name: string, kind: StakerKind, columns: Types, further: Types = {}, where = "true") {
  const isChild = Object.keys(columns).map((column) => `t.${column} = k.${column}`);
  return {
    name,
    key: { network_id: "bigint", ...columns, ...further, wanted: "text" },
    position: { now: "bigint", start_timestamp: "bigint", staker_seq: "bigint" },
    head: P_CHAIN_HEAD,
    select: `SELECT ${STAKER_COLUMNS}, k.now FROM stakers t
      WHERE t.network_id = $1 AND t.kind = '${kind}' AND ${isChild.join(" AND ")} AND ${where}
        AND (t.start_timestamp, t.staker_seq) < (k.start_timestamp, k.staker_seq)
        AND (k.wanted = '' OR ${statusSql("k.now")} = k.wanted)
      ORDER BY t.start_timestamp DESC, t.staker_seq DESC`,
    positionOf: ({ now, startTimestamp, stakerSeq }: StakerRow & { readonly now: string }) => [
      now,
      startTimestamp,
      stakerSeq,
    ],
  };
}

/** Position before the first staker of a nested list. */
export const startOfNested = (nowSeconds: number): readonly string[] => [String(nowSeconds), MAX_BIGINT, MAX_BIGINT];
