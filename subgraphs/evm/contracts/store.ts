import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { type Database, EVM_HEAD, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { checksumAddress } from "../../../core/formats/address.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import type { DeploymentKey } from "../deployments/store.ts";
import { createMetadataRequest } from "./metadata-request.ts";
import type { Contract } from "./types.ts";

export interface ContractStore {
  /** Returns the keys of contracts whose creation, or a token transfer that they emitted, is indexed. One statement for each chain. */
  byAddress(keys: readonly Contract[], work: Work): Promise<Contract[]>;
  /** Contracts of a chain (its id) whose creation is indexed, newest first by their latest creation. */
  ofChain(work: Work): NestedList<Contract>;
  /**
   * Queues a contract so that it is called again for name, symbol and decimals, at the earliest one minute after the previous attempt.
   * Throws `NOT_FOUND` if no token transfer of the contract is indexed, `UNAVAILABLE` if no block of the chain is indexed.
   */
  reindex(contract: Contract, work: Work): Promise<void>;
}

/** Minimum time between two reads of the same metadata on request. */
export const MIN_REINDEX_SECONDS = 60;

const TABLES = ["evm_deployments", "erc20_tokens", "nft_contracts"];

const isIn = (table: string): string =>
  `EXISTS (SELECT FROM ${table} t WHERE t.chain_id = $1 AND t.address = k.address)`;

const BY_ADDRESS = `SELECT $1::bigint AS "chainId", k.address FROM unnest($2::bytea[]) AS k(address)
  WHERE ${TABLES.map(isIn).join(" OR ")}`;

/** A creation is left out if the contract was created again later. A subquery, because PostgreSQL could read the whole table for `NOT EXISTS`. */
const OF_CHAIN = {
  name: "chain-contracts",
  key: { chain_id: "bigint" },
  order: descending({ block_number: "bigint", block_index: "int", trace_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT t.chain_id AS "chainId", t.address, t.block_number AS "blockNumber",
      t.block_index AS "blockIndex", t.trace_index AS "traceIndex"
    FROM evm_deployments t WHERE t.chain_id = $1 AND ${after()} AND (
      SELECT true FROM evm_deployments later WHERE later.chain_id = $1 AND later.address = t.address
        AND (later.block_number, later.block_index, later.trace_index) > (t.block_number, t.block_index, t.trace_index) LIMIT 1) IS NULL
    ORDER BY ${orderBy()}`,
  positionOf: ({ blockNumber, blockIndex, traceIndex }: DeploymentKey) => [
    blockNumber,
    String(blockIndex),
    String(traceIndex),
  ],
};

/** A contract that was never called is in the queue already. */
const REINDEX = `WITH contract AS (
    SELECT address FROM erc20_tokens WHERE chain_id = $1 AND address = $2
    UNION SELECT address FROM nft_contracts WHERE chain_id = $1 AND address = $2
  ), queued AS (
    INSERT INTO raw_token_answers AS r (chain_id, address, next_attempt_at)
    SELECT $1, address, $3::bigint FROM contract
    ON CONFLICT (chain_id, address) DO UPDATE SET node_failures = 0, empty_answers = 0,
      next_attempt_at = greatest($3::bigint, coalesce(r.attempted_at, 0) + ${MIN_REINDEX_SECONDS})
  ) SELECT count(*)::int AS count FROM contract`;

export function createContractStore(
  { pool }: Pick<Database, "pool">,
  tokens: PageTokens,
  nowSeconds: () => number = () => Math.floor(Date.now() / 1_000),
): ContractStore {
  const byAddress = prepared<Contract & Record<string, string>>(pool, "contracts-by-address", BY_ADDRESS);
  const reindex = createMetadataRequest(pool, "reindex-contract", REINDEX);
  const requireIndexed = createRequireIndexed({ pool });
  return {
    byAddress: readRowsByPartition(byAddress, {
      partitionOf: ({ chainId }: Contract) => chainId,
      valuesOf: (keys) => [keys.map(({ address }) => bytea(address))],
    }),
    ofChain: createNestedList<Record<string, unknown> & DeploymentKey, Contract>(pool, tokens, OF_CHAIN, async (rows) =>
      rows.map(({ chainId, address }) => ({ chainId, address })),
    ),
    async reindex({ chainId, address }, work) {
      if (await reindex([chainId, bytea(address), nowSeconds()], work)) return;
      await requireIndexed(chainId, work);
      throw new Failure(
        "NOT_FOUND",
        `contract ${checksumAddress(address)} has no indexed token transfer on chain ${chainId}`,
      );
    },
  };
}
