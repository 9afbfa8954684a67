import type { Database } from "../../../../core/database/database.ts";
import { poolsOf } from "../../../../core/database/statement-pool.ts";
import { formatId, parseIdText } from "../../../../core/formats/id-text.ts";
import { bytea } from "../../../shared/rows/text-rows.ts";
import { PRIMARY_NETWORK } from "../report.ts";

/** Subnets of blockchains whose subnet is not configured, read from the index. */
export interface Subnets {
  /** Subnet id of a blockchain; null if not known yet. */
  of(blockchainId: string): string | null;
  /** Queries the subnets that are not known yet. Does nothing once all are. */
  refresh(): Promise<void>;
}

interface Row {
  readonly blockchain: Buffer;
  /** Null for a C-Chain, which belongs to the primary network. */
  readonly subnet: Buffer | null;
}

const ROWS = `SELECT c_chain_id AS "blockchain", NULL::bytea AS "subnet" FROM primary_networks WHERE c_chain_id = ANY($1::bytea[])
  UNION ALL SELECT blockchain_id, subnet_id FROM blockchains WHERE blockchain_id = ANY($1::bytea[])`;

const textOf = (id: Buffer): string => formatId(id.toString("hex"));

export function createSubnets({ pool }: Pick<Database, "pool">, blockchainIds: readonly string[]): Subnets {
  const known = new Map<string, string>();
  return {
    of: (blockchainId) => known.get(blockchainId) ?? null,
    async refresh() {
      const unknown = blockchainIds.filter((id) => !known.has(id)).flatMap((id) => parseIdText(id) ?? []);
      if (unknown.length === 0) return;
      const values = [unknown.map((hex) => bytea(`0x${hex}`))];
      const found = await Promise.all(poolsOf(pool).map((one) => one.query<Row>(ROWS, values)));
      for (const { blockchain, subnet } of found.flatMap(({ rows }) => rows))
        known.set(textOf(blockchain), subnet === null ? PRIMARY_NETWORK : textOf(subnet));
    },
  };
}
