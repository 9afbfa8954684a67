import type { Work } from "../../../core/work/work.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { createStakersByKey } from "../stakers/by-key.ts";
import { nestedStakers, nestedStakersOfOwner } from "../stakers/nested-list.ts";
import { parseOrder } from "../stakers/order.ts";
import type { StakerPage } from "../stakers/pages.ts";
import type { StakerFilter, StakerKey, StakerRow } from "../stakers/rows.ts";
import type { StakerStoreDeps } from "../stakers/store-deps.ts";
import { validatorFromRow } from "./from-row.ts";
import type { Validator, ValidatorsArgs } from "./types.ts";

export interface ValidatorStore {
  /** A page of validations. One statement. Throws like `Networks.require`. */
  page(args: ValidatorsArgs, work: Work): Promise<StakerPage<Validator>>;
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

const OF_OWNER = nestedStakersOfOwner("validators-of-owner", "VALIDATOR");
const OF_SUBNET = nestedStakers({ name: "validators-of-subnet", kind: "VALIDATOR", columns: { subnet_id: "bytea" } });
const OF_NODE = nestedStakers({ name: "validators-of-node", kind: "VALIDATOR", columns: { node_id: "bytea" } });

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
      const { nodeIds, subnetId, status } = args.filter ?? {};
      const network = await networks.require(args.network, "P");
      const filter: StakerFilter = {
        networkId: network.networkId,
        kind: "VALIDATOR",
        owners: null,
        nodes: nodeIds?.length ? parseNodeIds("nodeId", nodeIds, { isTrimmed: false }) : null,
        subnet: subnetId ? parseIdParameter("subnetId", subnetId) : null,
        status: status ?? null,
        order: parseOrder(args.orderBy),
      };
      const page = await pages(filter, args, work);
      const now = nowSeconds();
      const { totals } = page;
      return page.withNodes(page.nodes.map((row) => validatorFromRow(network, row, now))).with({ totals });
    },
    byKey: async (keys, work) => fromRows((await byKey(keys, work)).filter(({ kind }) => kind === "VALIDATOR")),
    ofSubnet: nested(OF_SUBNET),
    ofNode: nested(OF_NODE),
    ofOwner: nested(OF_OWNER),
  };
}
