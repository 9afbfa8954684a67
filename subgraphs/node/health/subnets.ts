import type { Database } from "../../../core/database.ts";
import { formatId, parseIdText } from "../../../core/id-text.ts";
import { bytea } from "../../shared/rows.ts";
import { PRIMARY_NETWORK } from "./report.ts";

/** Subnets of blockchains whose settings do not name them, as the index comes to know them. */
export interface Subnets {
  /** Null until it is known. */
  of(blockchainId: string): string | null;
  /** Reads those that are not known yet; nothing once all are. */
  look(): Promise<void>;
}

interface Row {
  readonly blockchain: Buffer;
  /** Null of a C-Chain, which is of the primary network. */
  readonly subnet: Buffer | null;
}

const ROWS = `SELECT c_chain_id AS "blockchain", NULL::bytea AS "subnet" FROM primary_networks WHERE c_chain_id = ANY($1::bytea[])
  UNION ALL SELECT blockchain_id, subnet_id FROM blockchains WHERE blockchain_id = ANY($1::bytea[])`;

const textOf = (id: Buffer): string => formatId(id.toString("hex"));

export function createSubnets({ pool }: Pick<Database, "pool">, blockchainIds: readonly string[]): Subnets {
  const known = new Map<string, string>();
  return {
    of: (blockchainId) => known.get(blockchainId) ?? null,
    async look() {
      const unknown = blockchainIds.filter((id) => !known.has(id)).flatMap((id) => parseIdText(id) ?? []);
      if (unknown.length === 0) return;
      const { rows } = await pool.query<Row>(ROWS, [unknown.map((hex) => bytea(`0x${hex}`))]);
      for (const { blockchain, subnet } of rows)
        known.set(textOf(blockchain), subnet === null ? PRIMARY_NETWORK : textOf(subnet));
    },
  };
}
