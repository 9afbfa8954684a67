import { pgBytes } from "../../../../shared/pg-bytes.ts";
import type { Session } from "../../../../shared/writer.ts";
import type { NetworkFacts } from "../../../network/network.ts";
import { burnedIn } from "./burned.ts";
import { type HourFigures, noSums } from "./hours.ts";
import { addToActivity } from "./store-activity.ts";

const HOURS = `SELECT time / 3600 * 3600 AS start, sum(blocks) AS blocks, sum(transactions) AS transactions, sum(burned) AS burned
  FROM (
    SELECT block_timestamp AS time, 1 AS blocks, 0 AS transactions, 0 AS burned FROM primary_blocks
      WHERE network_id = $1 AND chain = 'X'
    UNION ALL SELECT vertex_timestamp, 1, 0, 0 FROM x_chain_vertices WHERE network_id = $1
    UNION ALL SELECT block_timestamp, 0, 1, ${burnedIn("t", "$2")} FROM primary_transactions t WHERE network_id = $1 AND chain = 'X'
    UNION ALL SELECT block_timestamp, 0, 1, 0 FROM primary_repeated_transactions WHERE network_id = $1 AND chain = 'X'
  ) r GROUP BY 1`;

type HourRow = Readonly<Record<"start" | "blocks" | "transactions" | "burned", string>>;

/** Computes all figures of the X-Chain again from its rows, after the times of vertices have changed. */
export async function recomputeXActivity(
  session: Session,
  { networkId, avaxAssetId }: Pick<NetworkFacts, "networkId" | "avaxAssetId">,
): Promise<void> {
  await session.query("DELETE FROM primary_activity WHERE network_id = $1 AND chain = 'X'", [networkId]);
  const rows = await session.query<HourRow>(HOURS, [networkId, pgBytes(avaxAssetId)]);
  const hours = rows.map(
    ({ start, blocks, transactions, burned }): HourFigures => ({
      chain: "X",
      start: Number(start),
      sums: {
        ...noSums(),
        blocks: BigInt(blocks),
        transactions: BigInt(transactions),
        fees_burned: BigInt(burned),
      },
      state: null,
    }),
  );
  await addToActivity(session, networkId, hours);
}
