import type { Work } from "../../../core/work/work.ts";
import type { NestedList } from "../../shared/rows/nested-list.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { nestedStakers, nestedStakersOfOwner } from "../stakers/nested-list.ts";
import { parseOrder, type StakerOrder } from "../stakers/order.ts";
import type { OrderedList } from "../stakers/ordered-lists.ts";
import type { StakerPage } from "../stakers/pages.ts";
import type { StakerFilter, StakerKey } from "../stakers/rows.ts";
import { createStakerLists, type StakerStoreDeps } from "../stakers/staker-lists.ts";
import { validatorFromRow } from "./from-row.ts";
import type { Validator, ValidatorsArgs } from "./types.ts";

export interface ValidatorStore {
  /** A page of validations. One statement. Throws like `Networks.require`. */
  page(args: ValidatorsArgs, work: Work): Promise<StakerPage<Validator>>;
  /** Validations by staking transaction, in any order. */
  byKey(keys: readonly StakerKey[], work: Work): Promise<Validator[]>;
  /** Validations of a subnet. Parent key: network ID, subnet as BYTEA, `keyOfList`. Call once per request. */
  ofSubnet(work: Work): OrderedList<StakerOrder, Validator>;
  /** Like `ofSubnet`, for a node. */
  ofNode(work: Work): OrderedList<StakerOrder, Validator>;
  /** Validations whose rewards an address owns, latest start first. Parent key: network ID, address as BYTEA, `keyOfList`. */
  ofOwner(work: Work): NestedList<Validator>;
}

const VALIDATORS = "VALIDATOR";

export function createValidatorStore(deps: StakerStoreDeps): ValidatorStore {
  const { networks } = deps;
  const { page, byKey, below, sortedBelow } = createStakerLists(deps, VALIDATORS, validatorFromRow);
  return {
    async page(args, work) {
      const { nodeIds, subnetId, status } = args.filter ?? {};
      const network = await networks.require(args.network, "P");
      const filter: StakerFilter = {
        networkId: network.networkId,
        kind: VALIDATORS,
        owners: null,
        nodes: nodeIds?.length ? parseNodeIds("nodeId", nodeIds, { isTrimmed: false }) : null,
        subnet: subnetId ? parseIdParameter("subnetId", subnetId) : null,
        status: status ?? null,
        order: parseOrder(args.orderBy),
      };
      return page(network, filter, args, work);
    },
    byKey,
    ofSubnet: sortedBelow((order) =>
      nestedStakers({ name: "validators-of-subnet", kind: VALIDATORS, columns: { subnet_id: "bytea" } }, order),
    ),
    ofNode: sortedBelow((order) =>
      nestedStakers({ name: "validators-of-node", kind: VALIDATORS, columns: { node_id: "bytea" } }, order),
    ),
    ofOwner: below(nestedStakersOfOwner("validators-of-owner", VALIDATORS)),
  };
}
