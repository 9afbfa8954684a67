import { type Database, prepared } from "../../../core/database/database.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createListReader } from "../../shared/rows/list-reader.ts";
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

const pageSelect = (name: string, condition: string) =>
  ({
    name,
    order: descending({ created_at: "bigint", operation_id: "uuid" }),
    positionAt: 2,
    select: ({ after, orderBy }: Keyset) => `${SELECT} t WHERE ${condition} AND ${after()}
  AND ($4::text IS NULL OR operation_status = $4) ORDER BY ${orderBy()} LIMIT $5`,
    // Operations do not come from blocks.
    head: null,
  }) as const;

const RUNNING_OR_CHANGED = `${SELECT} WHERE owner = ANY ($1) AND (operation_status = 'RUNNING' OR updated_at >= $2)
  ORDER BY created_at, operation_id`;

export function createOperationStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): OperationStore {
  const byIds = prepared<OperationRow>(pool, "operations", `${SELECT} WHERE operation_id = ANY ($1::uuid[])`);
  const ofOwner = createListReader<OperationRow>(pool, pageSelect("operations-page", "owner = $1"));
  const withTokens = createListReader<OperationRow>(
    pool,
    pageSelect("operations-page-with-tokens", "cancel_token_hash = ANY ($1::bytea[])"),
  );
  const runningOrChanged = prepared<OperationRow>(pool, "operations-running-or-changed", RUNNING_OR_CHANGED);
  return {
    byIds: async (operationIds, work) => (await byIds([operationIds], work)).map(operationOf),
    async page(listed, args, work) {
      const status = args.filter?.status ?? null;
      const scope = "owner" in listed ? listed.owner : [...listed.tokenHashes].sort();
      const operations = "owner" in listed ? ofOwner : withTokens;
      const first = typeof scope === "string" ? scope : scope.map((hash) => Buffer.from(hash.slice(2), "hex"));
      const values = ({ position, limit }: PageFrom) => [first, ...position, status, limit];
      const page = await readListPage(tokens, {
        list: "operations",
        parameters: [String(scope), status],
        page: args,
        ends: operations.ends,
        read: (from) => operations.read(values, from, work),
        count: () => operations.count(values, work),
        positionOf: ({ createdAt, operationId }) => [createdAt, operationId],
      });
      return page.withNodes(page.nodes.map(operationOf));
    },
    runningOrChanged: async (owners, sinceSeconds, work) =>
      (await runningOrChanged([owners, sinceSeconds], work)).map(operationOf),
  };
}
