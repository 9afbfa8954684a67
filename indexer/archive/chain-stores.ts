import type { Queries } from "../shared/writer.ts";
import type { ChainStore } from "./chain-store.ts";
import { createEvmStore } from "./evm-store.ts";
import type { ChainKey } from "./manifest.ts";
import { createPrimaryStore } from "./primary-store.ts";

/** Each chain and network has a partition of its own. */
const PARTITIONS = `SELECT substr(child.relname, length($1) + 2) AS id
  FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = to_regclass($1) ORDER BY 1`;

/** The store of a chain. */
export function chainStoreOf({ table, id, chain }: ChainKey): ChainStore<object> {
  const store = table === "raw_blocks" ? createEvmStore(id) : createPrimaryStore(id, chain === "X" ? "X" : "P");
  // A store is given only rows that it has read, or that were read with its columns.
  return store as ChainStore<object>;
}

/** All chains that the database has blocks of. */
export async function chainStores(session: Queries): Promise<ChainStore<object>[]> {
  const idsOf = async (table: string) => (await session.query<{ id: string }>(PARTITIONS, [table])).map(({ id }) => id);
  const evm = (await idsOf("raw_blocks")).map((id) => ({ table: "raw_blocks", id, chain: "" }) as const);
  const primary = (await idsOf("primary_raw_blocks")).flatMap((id) =>
    (["P", "X"] as const).map((chain) => ({ table: "primary_raw_blocks", id, chain }) as const),
  );
  return [...evm, ...primary].map(chainStoreOf);
}
