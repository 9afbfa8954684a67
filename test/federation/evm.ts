import { type ExecutionResult, graphql } from "graphql";
import { createLogger } from "../../core/observability/logger.ts";
import { createWork } from "../../core/work/work.ts";
import type { EvmContext } from "../../subgraphs/evm/context.ts";
import { createSubgraph as createEvmSubgraph, type EvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";

/** The C-Chain and the L1 of the alpha recording. */
export const C_CHAIN = "760011";
export const L1 = "760012";

/** The evm subgraph over the alpha recording, without a server around it. */
export interface OpenedEvm extends AsyncDisposable {
  readonly database: Awaited<ReturnType<typeof indexedAlpha>>;
  readonly evm: EvmSubgraph;
  /** Clock of page tokens, which a test can set. */
  readonly clock: { nowSeconds: number };
  /** A new request's context. */
  context(): EvmContext;
  ask(query: string): Promise<ExecutionResult>;
  /** Column `value` of each row of a statement, as text. */
  values(statement: string): Promise<string[]>;
}

export async function openEvm(): Promise<OpenedEvm> {
  const database = await indexedAlpha();
  const clock = { nowSeconds: 1_800_000_000 };
  const nowSeconds = () => clock.nowSeconds;
  const logger = createLogger("fatal");
  const evm = await createEvmSubgraph({ config: database.config, database, logger, nowSeconds });
  const context = () => evm.context({ work: createWork(), requestId: "test" });
  return {
    database,
    evm,
    clock,
    context,
    ask: (source) => graphql({ schema: evm.schema, source, contextValue: context() }),
    async values(statement) {
      const { rows } = await database.pool.query<{ value: unknown }>(statement);
      return rows.map(({ value }) => String(value));
    },
    async [Symbol.asyncDispose]() {
      await evm[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** All items of a list, page by page. Fails if a page is larger than requested, or if the pages do not end. */
export async function allOf<Item>(
  page: (
    pageToken: string | null,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextPageToken: string | null }>,
  pageSize: number,
): Promise<Item[]> {
  const items: Item[] = [];
  let token: string | null = null;
  for (let pages = 0; pages < 1_000; pages++) {
    const next = await page(token);
    if (next.items.length > pageSize) throw new Error(`a page of ${next.items.length}, ${pageSize} were requested`);
    items.push(...next.items);
    token = next.nextPageToken;
    if (token === null) return items;
    if (next.items.length === 0) throw new Error("an empty page that is not the last");
  }
  throw new Error("the pages do not end");
}
