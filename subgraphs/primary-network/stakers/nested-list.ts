import { bytea, MAX_BIGINT } from "../../shared/rows.ts";
import type { ValidationKey } from "../validators/delegations.ts";
import { STAKER_COLUMNS, type StakerRow } from "./rows.ts";
import { type StakerKind, statusSql } from "./status.ts";

/** How stakers are found that transactions of these ids began. */
export const BY_KEY = {
  name: "stakers-by-key",
  table: "stakers",
  columns: STAKER_COLUMNS,
  key: { network_id: "bigint", tx_hash: "bytea" },
  valuesOf: ({ networkId, txHash }: ValidationKey) => [networkId, bytea(txHash)],
};

type Types = Readonly<Record<string, string>>;

/**
 * Stakers of a kind below a parent, which some of their columns name, the latest first: of the parent's key come the
 * network's id, these columns, further values for `where`, and the status that is wanted, empty for any. The clock is part
 * of the position: what stands where is decided once for all pages of a list.
 */
export function below(name: string, kind: StakerKind, columns: Types, further: Types = {}, where = "true") {
  const isBelow = Object.keys(columns).map((column) => `t.${column} = k.${column}`);
  return {
    name,
    key: { network_id: "bigint", ...columns, ...further, wanted: "text" },
    position: { now: "bigint", start_timestamp: "bigint", staker_seq: "bigint" },
    select: `SELECT ${STAKER_COLUMNS}, k.now FROM stakers t
      WHERE t.network_id = k.network_id AND t.kind = '${kind}' AND ${isBelow.join(" AND ")} AND ${where}
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

/** Where a list below a parent begins. */
export const startOfBelow = (nowSeconds: number): readonly string[] => [String(nowSeconds), MAX_BIGINT, MAX_BIGINT];
