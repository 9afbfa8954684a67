import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import type { NestedList } from "../../shared/rows/nested-list.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { parseAddresses } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { parseOwners } from "../ownership/output-owners.ts";
import { nestedStakers, nestedStakersOfOwner } from "../stakers/nested-list.ts";
import { parseOrder, type StakerOrder } from "../stakers/order.ts";
import type { OrderedList } from "../stakers/ordered-lists.ts";
import type { StakerPage } from "../stakers/pages.ts";
import { percentText, rewardAddresses } from "../stakers/rewards-text.ts";
import type { StakerFilter, StakerKey, StakerRow } from "../stakers/rows.ts";
import { createStakerLists, type StakerStoreDeps } from "../stakers/staker-lists.ts";
import { type DelegationStatus, statusAt } from "../stakers/status.ts";
import type { Delegator, DelegatorsArgs } from "./types.ts";

export interface DelegatorStore {
  /** A page of delegations. One statement. Throws like `Networks.require`. */
  page(args: DelegatorsArgs, work: Work): Promise<StakerPage<Delegator>>;
  /** Delegations by staking transaction, in any order. */
  byKey(keys: readonly StakerKey[], work: Work): Promise<Delegator[]>;
  /**
   * Delegations to a validation, latest start first. Parent key: network ID, node and transaction as BYTEA, start and end of
   * the validation, `keyOfList`. Call once per request.
   */
  ofValidation(work: Work): NestedList<Delegator>;
  /** Delegations to a node. Parent key: network ID, node as BYTEA, `keyOfList`. Call once per request. */
  ofNode(work: Work): OrderedList<StakerOrder, Delegator>;
  /** Delegations whose rewards an address owns, latest start first. Parent key: network ID, address as BYTEA, `keyOfList`. */
  ofOwner(work: Work): NestedList<Delegator>;
}

const DELEGATORS = "DELEGATOR";

/** Reads the node's delegations that start during the validation. Of these, few belong to another subnet and are left out. */
const OF_VALIDATION = nestedStakers({
  name: "delegators-of-validation",
  kind: DELEGATORS,
  columns: { node_id: "bytea", validator_tx_hash: "bytea" },
  further: { since: "bigint", until: "bigint" },
  where: "t.start_timestamp BETWEEN k.since AND k.until",
});

export function createDelegatorStore(deps: StakerStoreDeps): DelegatorStore {
  const { networks } = deps;
  const { page, byKey, below, sortedBelow } = createStakerLists(deps, DELEGATORS, delegatorFromRow);
  return {
    async page(args, work) {
      const network = await networks.require(args.network, "P");
      return page(network, filterOf(network, args), args, work);
    },
    byKey,
    ofValidation: below(OF_VALIDATION),
    ofNode: sortedBelow((order) =>
      nestedStakers({ name: "delegators-of-node", kind: DELEGATORS, columns: { node_id: "bytea" } }, order),
    ),
    ofOwner: below(nestedStakersOfOwner("delegators-of-owner", DELEGATORS)),
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
    kind: DELEGATORS,
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
