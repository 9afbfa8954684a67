import { readRowsByPartition } from "../../../core/by-partition.ts";
import { type Database, prepared } from "../../../core/database.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { Contract } from "./types.ts";

export interface ContractStore {
  /** Returns the keys of contracts whose creation, or a token transfer that they emitted, is indexed. One statement for each chain. */
  byAddress(keys: readonly Contract[]): Promise<Contract[]>;
}

const TABLES = ["evm_deployments", "erc20_tokens", "nft_contracts"];

const isIn = (table: string): string =>
  `EXISTS (SELECT FROM ${table} t WHERE t.chain_id = $1 AND t.address = k.address)`;

const BY_ADDRESS = `SELECT $1::bigint AS "chainId", k.address FROM unnest($2::bytea[]) AS k(address)
  WHERE ${TABLES.map(isIn).join(" OR ")}`;

export function createContractStore({ pool }: Pick<Database, "pool">): ContractStore {
  const byAddress = prepared<Contract & Record<string, string>>(pool, "contracts-by-address", BY_ADDRESS);
  return {
    byAddress: readRowsByPartition(byAddress, {
      partitionOf: ({ chainId }: Contract) => chainId,
      valuesOf: (keys) => [keys.map(({ address }) => bytea(address))],
    }),
  };
}
