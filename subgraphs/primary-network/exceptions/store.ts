import type { Database } from "../../../core/database/database.ts";
import { primaryHead } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { ascending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import type { PrimaryChainException } from "./types.ts";

interface Row extends Omit<PrimaryChainException, "network"> {
  readonly txSeq: string;
  readonly exceptionIndex: string;
}

export interface ExceptionStore {
  /** Exceptions of a chain, whose key is the network ID and the chain. Call once per request. */
  ofChain(work: Work): NestedList<Omit<PrimaryChainException, "network">>;
}

const OF_CHAIN = {
  name: "primary-chain-exceptions",
  key: { network_id: "bigint", chain: "text" },
  order: ascending({ tx_seq: "bigint", exception_index: "int" }),
  head: primaryHead("k.chain"),
  select: ({
    after,
    orderBy,
  }: Keyset) => `SELECT t.kind, t.tx_hash AS "txHash", t.utxo_id AS "utxoId", t.tx_seq AS "txSeq",
      t.exception_index AS "exceptionIndex"
    FROM primary_exceptions t WHERE t.network_id = $1 AND t.chain = k.chain AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: ({ txSeq, exceptionIndex }: Row) => [txSeq, String(exceptionIndex)],
};

export function createExceptionStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): ExceptionStore {
  return { ofChain: createNestedList(pool, tokens, OF_CHAIN, async (rows: Row[]) => rows) };
}
