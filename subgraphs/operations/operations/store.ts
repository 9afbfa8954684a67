import { type Database, prepared } from "../../../core/database/database.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Page } from "../../shared/rows/nested-list.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import type { ListedOperations } from "../caller.ts";
import { OPERATION_COLUMNS, type OperationRow, operationOf } from "./from-row.ts";
import type { Operation, OperationsArgs } from "./types.ts";

export interface OperationStore {
  /** Operations of any owner with these ids, in any order. Ids that do not exist are left out. */
  byIds(operationIds: readonly string[], work: Work): Promise<Operation[]>;
  /** A page of an owner's operations, or of those with these tokens, newest first. */
  page(listed: ListedOperations, args: OperationsArgs, work: Work): Promise<Page<Operation>>;
  /** Operations of these owners that run, or that changed at or after a time in seconds. */
  runningOrChanged(owners: readonly string[], sinceSeconds: number, work: Work): Promise<Operation[]>;
}

const SELECT = `SELECT ${OPERATION_COLUMNS} FROM operations`;

const pageWhere = (
  condition: string,
) => `${SELECT} WHERE ${condition} AND (created_at, operation_id) < ($2::bigint, $3::uuid)
  AND ($4::text IS NULL OR operation_status = $4) ORDER BY created_at DESC, operation_id DESC LIMIT $5`;

const RUNNING_OR_CHANGED = `${SELECT} WHERE owner = ANY ($1) AND (operation_status = 'RUNNING' OR updated_at >= $2)
  ORDER BY created_at, operation_id`;

const LAST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const START = [MAX_BIGINT, LAST_UUID];

export function createOperationStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): OperationStore {
  const byIds = prepared<OperationRow>(pool, "operations", `${SELECT} WHERE operation_id = ANY ($1::uuid[])`);
  const ofOwner = prepared<OperationRow>(pool, "operations-page", pageWhere("owner = $1"));
  const withTokens = prepared<OperationRow>(
    pool,
    "operations-page-with-tokens",
    pageWhere("cancel_token_hash = ANY ($1::bytea[])"),
  );
  const runningOrChanged = prepared<OperationRow>(pool, "operations-running-or-changed", RUNNING_OR_CHANGED);
  return {
    byIds: async (operationIds, work) => (await byIds([operationIds], work)).map(operationOf),
    async page(listed, { size, pageToken, status = null }, work) {
      const scope = "owner" in listed ? listed.owner : [...listed.tokenHashes].sort();
      const page = "owner" in listed ? ofOwner : withTokens;
      const first = typeof scope === "string" ? scope : scope.map((hash) => Buffer.from(hash.slice(2), "hex"));
      const { items, nextPageToken } = await readListPage(tokens, {
        list: "operations",
        parameters: [String(scope), status],
        page: { pageToken, size },
        start: START,
        read: async (position) => ({
          rows: await page([first, ...position, status, size + 1], work),
          // Operations do not come from blocks.
          heads: () => [],
        }),
        positionOf: ({ createdAt, operationId }) => [createdAt, operationId],
      });
      return { items: items.map(operationOf), nextPageToken };
    },
    runningOrChanged: async (owners, sinceSeconds, work) =>
      (await runningOrChanged([owners, sinceSeconds], work)).map(operationOf),
  };
}
