import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { parseAddresses } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { parseOwners } from "../ownership/output-owners.ts";
import { createStakersByKey } from "../stakers/by-key.ts";
import { nestedStakers, nestedStakersOfOwner } from "../stakers/nested-list.ts";
import { parseOrder } from "../stakers/order.ts";
import type { StakerPage } from "../stakers/pages.ts";
import { percentText, rewardAddresses } from "../stakers/rewards-text.ts";
import type { StakerFilter, StakerKey, StakerRow } from "../stakers/rows.ts";
import { type DelegationStatus, statusAt } from "../stakers/status.ts";
import type { StakerStoreDeps } from "../stakers/store-deps.ts";
import type { Delegator, DelegatorsArgs } from "./types.ts";

export interface DelegatorStore {
  /** A page of delegations. One statement. Throws like `Networks.require`. */
  page(args: DelegatorsArgs, work: Work): Promise<StakerPage<Delegator>>;
  /** Delegations by staking transaction, in any order. */
  byKey(keys: readonly StakerKey[], work: Work): Promise<Delegator[]>;
  /**
   * Delegations to a validation, latest start first. Parent key: network ID, node and transaction as BYTEA, start and end of
   * the validation, status or empty. Call once per request.
   */
  ofValidation(work: Work): NestedList<Delegator>;
  /**
   * Delegations to a node, latest start first. Parent key: network ID, node as BYTEA, status or empty. Call once per request.
   */
  ofNode(work: Work): NestedList<Delegator>;
  /** Delegations whose rewards an address owns, in the same order. Parent key: network ID, address as BYTEA, status or empty. */
  ofOwner(work: Work): NestedList<Delegator>;
}

const OF_OWNER = nestedStakersOfOwner("delegators-of-owner", "DELEGATOR");
const OF_NODE = nestedStakers({ name: "delegators-of-node", kind: "DELEGATOR", columns: { node_id: "bytea" } });

/** Reads the node's delegations that start during the validation. Of these, few belong to another subnet and are left out. */
const OF_VALIDATION = nestedStakers({
  name: "delegators-of-validation",
  kind: "DELEGATOR",
  columns: { node_id: "bytea", validator_tx_hash: "bytea" },
  further: { since: "bigint", until: "bigint" },
  where: "t.start_timestamp BETWEEN k.since AND k.until",
});

export function createDelegatorStore(deps: StakerStoreDeps): DelegatorStore {
  const { pages, networks, nowSeconds, pageTokens } = deps;
  const { pool } = deps.database;
  const byKey = createStakersByKey(deps.database);
  const fromRows = async (rows: readonly (StakerRow & { readonly now?: string })[]) => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) =>
      delegatorFromRow(served.get(row.networkId) as ServedNetwork, row, Number(row.now ?? nowSeconds())),
    );
  };
  const keptValues = () => [String(nowSeconds())];
  const nested = (options: typeof OF_NODE) => createNestedList(pool, pageTokens, { ...options, keptValues }, fromRows);
  return {
    async page(args, work) {
      const network = await networks.require(args.network, "P");
      const page = await pages(filterOf(network, args), args, work);
      const now = nowSeconds();
      const { totals } = page;
      return page.withNodes(page.nodes.map((row) => delegatorFromRow(network, row, now))).with({ totals });
    },
    byKey: async (keys, work) => fromRows((await byKey(keys, work)).filter(({ kind }) => kind === "DELEGATOR")),
    ofValidation: nested(OF_VALIDATION),
    ofNode: nested(OF_NODE),
    ofOwner: nested(OF_OWNER),
  };
}

function filterOf(network: ServedNetwork, { rewardAddresses, filter, orderBy }: DelegatorsArgs): StakerFilter {
  const { nodeIds, subnetId, status } = filter ?? {};
  const order = parseOrder(orderBy);
  const owners = rewardAddresses?.length ? parseAddresses(network, rewardAddresses, { name: "rewardAddresses" }) : null;
  if (owners && (order.field !== "START_TIME" || order.from !== null || order.to !== null))
    throw new Failure("INVALID_PARAMETER", "with rewardAddresses, orderBy must be START_TIME without from and to");
  return {
    networkId: network.networkId,
    kind: "DELEGATOR",
    owners,
    nodes: nodeIds?.length ? parseNodeIds("nodeIds", nodeIds) : null,
    subnet: subnetId ? parseIdParameter("subnetId", subnetId) : null,
    status: status ?? null,
    order,
  };
}

function delegatorFromRow(network: ServedNetwork, row: StakerRow, nowSeconds: number): Delegator {
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
    // A delegation cannot be removed.
    delegationStatus: statusAt(row, nowSeconds) as DelegationStatus,
  };
}
