import type { Database } from "../../../core/database/database.ts";
import { primaryHead } from "../../../core/database/database.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
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
  position: { tx_seq: "bigint", exception_index: "int" },
  start: ["-1", "-1"],
  head: primaryHead("k.chain"),
  select: `SELECT e.kind, e.tx_hash AS "txHash", e.utxo_id AS "utxoId", e.tx_seq AS "txSeq", e.exception_index AS "exceptionIndex"
    FROM primary_exceptions e WHERE e.network_id = $1 AND e.chain = k.chain
      AND (e.tx_seq, e.exception_index) > (k.tx_seq, k.exception_index) ORDER BY e.tx_seq, e.exception_index`,
  positionOf: ({ txSeq, exceptionIndex }: Row) => [txSeq, String(exceptionIndex)],
};

export function createExceptionStore({ pool }: Pick<Database, "pool">, tokens: PageTokens): ExceptionStore {
  return { ofChain: createNestedList(pool, tokens, OF_CHAIN, async (rows: Row[]) => rows) };
}
