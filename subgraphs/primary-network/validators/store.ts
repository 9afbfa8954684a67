import type { Page } from "../../../core/graph/connection-page.ts";
import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { createStakersByKey } from "../stakers/by-key.ts";
import { nestedStakers, nestedStakersOfOwner } from "../stakers/nested-list.ts";
import type { StakerKey, StakerRow } from "../stakers/rows.ts";
import type { StakerStoreDeps } from "../stakers/store-deps.ts";
import { validatorFromRow } from "./from-row.ts";
import type { Validator, ValidatorsArgs } from "./types.ts";

export interface ValidatorStore {
  /** A page of validations by start time. One statement. Throws like `Networks.require`. */
  page(args: ValidatorsArgs, work: Work): Promise<Page<Validator>>;
  /** Validations by staking transaction, in any order. */
  byKey(keys: readonly StakerKey[], work: Work): Promise<Validator[]>;
  /**
   * Validations of a subnet, latest start first. Parent key: network ID, subnet as BYTEA, status or empty. Call once per
   * request.
   */
  ofSubnet(work: Work): NestedList<Validator>;
  /** Like `ofSubnet`, for a node. */
  ofNode(work: Work): NestedList<Validator>;
  /** Validations whose rewards an address owns, in the same order. Parent key: network ID, address as BYTEA, status or empty. */
  ofOwner(work: Work): NestedList<Validator>;
}

const OF_SUBNET = nestedStakers("validators-of-subnet", "VALIDATOR", { subnet_id: "bytea" });
const OF_NODE = nestedStakers("validators-of-node", "VALIDATOR", { node_id: "bytea" });
const OF_OWNER = nestedStakersOfOwner("validators-of-owner", "VALIDATOR");

export function createValidatorStore(deps: StakerStoreDeps): ValidatorStore {
  const { pages, networks, nowSeconds, pageTokens } = deps;
  const { pool } = deps.database;
  const byKey = createStakersByKey(deps.database);
  const fromRows = async (rows: readonly (StakerRow & { readonly now?: string })[]) => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) =>
      validatorFromRow(served.get(row.networkId) as ServedNetwork, row, Number(row.now ?? nowSeconds())),
    );
  };
  const keptValues = () => [String(nowSeconds())];
  const nested = (options: typeof OF_SUBNET) =>
    createNestedList(pool, pageTokens, { ...options, keptValues }, fromRows);
  return {
    async page(args, work) {
      const { nodeId, subnetId, validationStatus } = args;
      const network = await networks.require(args.network, "P");
      const filter = {
        networkId: network.networkId,
        kind: "VALIDATOR" as const,
        owners: null,
        nodes: nodeId ? [parseNodeIdParameter("nodeId", nodeId)] : null,
        subnet: subnetId ? parseIdParameter("subnetId", subnetId) : null,
        status: validationStatus ?? null,
      } as const;
      const page = await pages(filter, args, work);
      const now = nowSeconds();
      return page.withNodes(page.nodes.map((row) => validatorFromRow(network, row, now)));
    },
    byKey: async (keys, work) => fromRows((await byKey(keys, work)).filter(({ kind }) => kind === "VALIDATOR")),
    ofSubnet: nested(OF_SUBNET),
    ofNode: nested(OF_NODE),
    ofOwner: nested(OF_OWNER),
  };
}
