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
