import { type Database, prepared } from "../../../core/database.ts";
import { type PageTokens, readListPage } from "../../../core/page.ts";
import type { Page } from "../../shared/rows/nested-list.ts";
import { MAX_BIGINT } from "../../shared/rows/text-rows.ts";
import { OPERATION_COLUMNS, type OperationRow, operationOf } from "./from-row.ts";
import type { Operation, OperationsArgs } from "./types.ts";

export interface OperationStore {
  /** Operations of any owner with these ids, in any order. Ids that do not exist are left out. */
  byIds(operationIds: readonly string[]): Promise<Operation[]>;
  /** A page of an owner's operations, newest first. */
  page(owner: string, args: OperationsArgs): Promise<Page<Operation>>;
  /** Operations of these owners that run, or that changed at or after a time in seconds. */
  runningOrChanged(owners: readonly string[], sinceSeconds: number): Promise<Operation[]>;
}

const SELECT = `SELECT ${OPERATION_COLUMNS} FROM operations`;

const PAGE = `${SELECT} WHERE owner = $1 AND (created_at, operation_id) < ($2::bigint, $3::uuid)
  AND ($4::text IS NULL OR operation_status = $4) ORDER BY created_at DESC, operation_id DESC LIMIT $5`;

const RUNNING_OR_CHANGED = `${SELECT} WHERE owner = ANY ($1) AND (operation_status = 'RUNNING' OR updated_at >= $2)
  ORDER BY created_at, operation_id`;

const LAST_UUID = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const START = [MAX_BIGINT, LAST_UUID];

export function createOperationStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): OperationStore {
  const byIds = prepared<OperationRow>(pool, "operations", `${SELECT} WHERE operation_id = ANY ($1::uuid[])`);
  const page = prepared<OperationRow>(pool, "operations-page", PAGE);
  const runningOrChanged = prepared<OperationRow>(pool, "operations-running-or-changed", RUNNING_OR_CHANGED);
  return {
    byIds: async (operationIds) => (await byIds([operationIds])).map(operationOf),
    async page(owner, { size, pageToken, status = null }) {
      const parameters = [owner, status];
      const { items, nextPageToken } = await readListPage(tokens, {
        list: "operations",
        parameters,
        page: { pageToken, size },
        start: START,
        read: async (position) => ({
          rows: await page([owner, ...position, status, size + 1]),
          // Operations do not come from blocks.
          heads: () => [],
        }),
        positionOf: ({ createdAt, operationId }) => [createdAt, operationId],
      });
      return { items: items.map(operationOf), nextPageToken };
    },
    runningOrChanged: async (owners, sinceSeconds) => (await runningOrChanged([owners, sinceSeconds])).map(operationOf),
  };
}
