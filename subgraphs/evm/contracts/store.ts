import { type Database, prepared } from "../../../core/database.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { Contract } from "./types.ts";

export interface ContractStore {
  /** Returns the keys of contracts whose creation, or a token transfer that they emitted, is indexed. One statement. */
  byAddress(keys: readonly Contract[]): Promise<Contract[]>;
}

const TABLES = ["evm_deployments", "erc20_tokens", "nft_contracts"];

const isIn = (table: string): string =>
  `EXISTS (SELECT FROM ${table} t WHERE t.chain_id = k.chain_id AND t.address = k.address)`;

const BY_ADDRESS = `SELECT k.chain_id AS "chainId", k.address FROM unnest($1::bigint[], $2::bytea[]) AS k(chain_id, address)
  WHERE ${TABLES.map(isIn).join(" OR ")}`;

export function createContractStore({ pool }: Pick<Database, "pool">): ContractStore {
  const byAddress = prepared<Contract & Record<string, string>>(pool, "contracts-by-address", BY_ADDRESS);
  return {
    byAddress: (keys) => byAddress([keys.map(({ chainId }) => chainId), keys.map(({ address }) => bytea(address))]),
  };
}
