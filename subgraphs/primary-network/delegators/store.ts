import type { Database } from "../../../core/database.ts";
import type { PageTokens } from "../../../core/page.ts";
import { createKeyedRows } from "../../shared/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/nested-list.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { parseAddresses } from "../networks/addresses.ts";
import type { Networks, ServedNetwork } from "../networks/store.ts";
import { parseOwners } from "../ownership/output-owners.ts";
import { BY_KEY, below, startOfBelow } from "../stakers/nested-list.ts";
import type { StakerPages } from "../stakers/pages.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { type DelegationStatus, statusAt } from "../stakers/status.ts";
import type { ValidationKey } from "../validators/delegations.ts";
import { percentText, rewardAddresses } from "../validators/from-row.ts";
import type { Delegator, DelegatorPage, DelegatorsArgs } from "./types.ts";

export interface DelegatorStore {
  /** Delegations by when they begin; one statement. Throws `NOT_FOUND` for a network that is not served. */
  page(args: DelegatorsArgs): Promise<DelegatorPage>;
  /** Those that the transactions of these ids began. One statement. */
  byKey(keys: readonly ValidationKey[]): Promise<Delegator[]>;
  /** To a validation (network id, node and transaction as BYTEA, its start and end, wanted status or nothing). */
  ofValidation(): NestedList<Delegator>;
  /** To a node (network id, node as BYTEA, wanted status or nothing). Both have the latest first. */
  ofNode(): NestedList<Delegator>;
}

export interface DelegatorStoreDeps {
  readonly database: Pick<Database, "pool">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly pages: StakerPages;
  readonly nowSeconds: () => number;
}

const BELOW_NODE = below("delegators-of-node", "DELEGATOR", { node_id: "bytea" });

/** Along the node's delegations while it lasts: those of another subnet are few among them. */
const BELOW_VALIDATION = below(
  "delegators-of-validation",
  "DELEGATOR",
  { node_id: "bytea", validator_tx_hash: "bytea" },
  { since: "bigint", until: "bigint" },
  "t.start_timestamp BETWEEN k.since AND k.until",
);

export function createDelegatorStore(deps: DelegatorStoreDeps): DelegatorStore {
  const { pages, networks, nowSeconds, pageTokens } = deps;
  const { pool } = deps.database;
  const byKey = createKeyedRows<StakerRow, ValidationKey>(pool, BY_KEY);
  const shown = async (rows: readonly (StakerRow & { readonly now?: string })[]) => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) =>
      shownDelegator(served.get(row.networkId) as ServedNetwork, row, Number(row.now ?? nowSeconds())),
    );
  };
  // Made when it is used: its start is the clock's, and most requests have no list below another.
  const nested = (options: typeof BELOW_NODE): NestedList<Delegator> => {
    let list: NestedList<Delegator> | undefined;
    return (parent, page) => {
      list ??= createNestedList(pool, pageTokens, { ...options, start: startOfBelow(nowSeconds()) }, shown)();
      return list(parent, page);
    };
  };
  return {
    async page(args) {
      const network = await networks.find(args.network);
      const { items, nextPageToken } = await pages(filterOf(network, args), args);
      const now = nowSeconds();
      return { nextPageToken, delegators: items.map((row) => shownDelegator(network, row, now)) };
    },
    byKey: async (keys) => shown((await byKey(keys)).filter(({ kind }) => kind === "DELEGATOR")),
    ofValidation: () => nested(BELOW_VALIDATION),
    ofNode: () => nested(BELOW_NODE),
  };
}

function filterOf(network: ServedNetwork, args: DelegatorsArgs) {
  const { rewardAddresses, nodeIds, subnetId, delegationStatus } = args;
  return {
    networkId: network.networkId,
    kind: "DELEGATOR" as const,
    owners: rewardAddresses ? parseAddresses(network, rewardAddresses, { name: "rewardAddresses" }) : null,
    nodes: nodeIds ? parseNodeIds("nodeIds", nodeIds) : null,
    subnet: subnetId ? parseIdParameter("subnetId", subnetId) : null,
    status: delegationStatus ?? null,
  } as const;
}

function shownDelegator(network: ServedNetwork, row: StakerRow, nowSeconds: number): Delegator {
  return {
    row,
    served: network,
    network: network.network,
    txHash: row.txHash,
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    rewardAddresses: rewardAddresses(network, row),
    rewardOwner: row.rewardOwner === null ? null : parseOwners(network, row.rewardOwner),
    amountDelegated: row.weight,
    delegationFee: percentText(row.validatorShares ?? 0),
    startTimestamp: row.startTimestamp,
    endTimestamp: row.endTimestamp,
    // No delegation is ever removed.
    delegationStatus: statusAt(row, nowSeconds) as DelegationStatus,
  };
}
