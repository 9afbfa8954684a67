import { type Numbered, readRowsOfKeys } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";

export interface ContractKey {
  readonly chainId: string;
  readonly address: string;
}

/** A proxy, and the contract to which it passes calls. */
export interface IndexedImplementation extends ContractKey {
  readonly implementation: string;
}

export interface ImplementationStore {
  /** Reads the implementations of the contracts that are proxies by what is indexed, in one statement for each chain. */
  byProxy(keys: readonly ContractKey[], work: Work): Promise<IndexedImplementation[]>;
}

const NEWEST = "ORDER BY u.block_number DESC, u.log_index DESC LIMIT 1";

/**
 * SQL of the implementation of `k.address` on chain `$1`; NULL if it is no proxy that is indexed. The latest event of EIP-1967 names it, or the
 * beacon whose latest event does; otherwise the code with which the contract was created.
 */
export const IMPLEMENTATION = `coalesce(
    (SELECT CASE u.kind WHEN 'IMPLEMENTATION' THEN u.implementation_address ELSE (
        SELECT b.implementation_address FROM evm_proxy_upgrades b
        WHERE b.chain_id = $1 AND b.address = u.implementation_address AND b.kind = 'IMPLEMENTATION'
        ORDER BY b.block_number DESC, b.log_index DESC LIMIT 1) END
      FROM evm_proxy_upgrades u WHERE u.chain_id = $1 AND u.address = k.address ${NEWEST}),
    (SELECT d.implementation_address FROM evm_deployments d WHERE d.chain_id = $1 AND d.address = k.address
      ORDER BY d.block_number DESC, d.block_index DESC, d.trace_index DESC LIMIT 1))`;

const BY_PROXY = `SELECT k.request, ${IMPLEMENTATION} AS implementation
  FROM unnest($2::bytea[]) WITH ORDINALITY AS k(address, request)`;

interface Row extends Numbered {
  readonly implementation: string | null;
}

export function createImplementationStore({ pool }: Pick<Database, "pool">): ImplementationStore {
  const rowsOf = readRowsOfKeys(prepared<{ [Name in keyof Row]: Row[Name] }>(pool, "implementations", BY_PROXY), {
    partitionOf: ({ chainId }: ContractKey) => chainId,
    valuesOf: (keys) => [keys.map(({ address }) => bytea(address))],
  });
  return {
    async byProxy(keys, work) {
      const rows = await rowsOf(keys, work);
      return keys.flatMap(({ chainId, address }, at) => {
        const implementation = rows[at]?.[0]?.implementation ?? null;
        return implementation === null ? [] : [{ chainId, address, implementation }];
      });
    },
  };
}
