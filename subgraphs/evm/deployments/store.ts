import { type Database, EVM_HEAD, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { checksumAddress } from "../../../core/formats/address.ts";
import type { PageTokens } from "../../../core/graph/page.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import { missingCreations } from "../../../core/networks/trace-coverage.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { ascending, descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { allColumns, bigint, bytea } from "../../shared/rows/text-rows.ts";
import { createRequireIndexed } from "../chains/require-indexed.ts";
import { deploymentOf, LATEST, type LatestDeployment, type LatestRow } from "./latest.ts";
import type { Deployment, DeploymentArgs } from "./types.ts";

export type DeploymentKey = Pick<Deployment, "chainId" | "address" | "blockNumber" | "blockIndex" | "traceIndex">;

export interface DeploymentStore {
  /**
   * Reads the latest deployment of a contract and its transaction, in one statement. Throws `NOT_FOUND` for an unknown chain
   * and for an address without an indexed deployment.
   */
  latest(args: DeploymentArgs, work: Work): Promise<LatestDeployment>;
  byKey(keys: readonly DeploymentKey[], work: Work): Promise<Deployment[]>;
  /** Deployments in a transaction (`transactionKey`), in call tree order. */
  ofTransaction(work: Work): NestedList<Deployment>;
  /** Deployments of a contract (chain id, address as BYTEA), newest first. */
  ofContract(work: Work): NestedList<Deployment>;
}

const COLUMNS = allColumns("evm_deployments", ["implementation"]);

const OF_TRANSACTION = {
  name: "transaction-deployments",
  key: { chain_id: "bigint", block_number: "bigint", block_index: "int" },
  order: ascending({ trace_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM evm_deployments t WHERE t.chain_id = $1
    AND t.block_number = k.block_number AND t.block_index = k.block_index AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: Deployment) => [String(row.traceIndex)],
};

const OF_CONTRACT = {
  name: "contract-deployments",
  key: { chain_id: "bigint", address: "bytea" },
  order: descending({ block_number: "bigint", block_index: "int", trace_index: "int" }),
  head: EVM_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM evm_deployments t WHERE t.chain_id = $1
    AND t.address = k.address AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: (row: Deployment) => [row.blockNumber, String(row.blockIndex), String(row.traceIndex)],
};

const BY_KEY = {
  name: "deployments-by-key",
  table: "evm_deployments",
  columns: COLUMNS,
  key: { chain_id: "bigint", address: "bytea", block_number: "bigint", block_index: "int", trace_index: "int" },
  valuesOf: ({ chainId, address, blockNumber, blockIndex, traceIndex }: DeploymentKey) => [
    chainId,
    bytea(address),
    bigint(blockNumber),
    blockIndex,
    traceIndex,
  ],
};

export function createDeploymentStore(
  { pool }: Pick<Database, "pool">,
  chains: Chains,
  tokens: PageTokens,
): DeploymentStore {
  const latest = prepared<LatestRow>(pool, "deployment-latest", LATEST);
  const requireIndexed = createRequireIndexed({ pool });
  return {
    async latest(args, work) {
      const chainId = String(chains.require(args.chainId).chainId);
      const [found] = await latest([chainId, bytea(args.address)], work);
      const row = found as LatestRow;
      if (row.address === null) {
        await requireIndexed(chainId, work);
        throw new Failure(
          "NOT_FOUND",
          `address ${checksumAddress(args.address)} is not a contract that was created on chain ${chainId}${missingCreations(row)}`,
        );
      }
      return deploymentOf(row);
    },
    byKey: createKeyedRows<Deployment, DeploymentKey>(pool, BY_KEY),
    ofTransaction: createNestedList(pool, tokens, OF_TRANSACTION, async (rows) => rows),
    ofContract: createNestedList(pool, tokens, OF_CONTRACT, async (rows) => rows),
  };
}
