import type { Database } from "../../../core/database.ts";
import type { PageTokens } from "../../../core/page.ts";
import { createKeyedRows } from "../../shared/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/nested-list.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import type { Networks, ServedNetwork } from "../networks/store.ts";
import { BY_KEY, below, startOfBelow } from "../stakers/nested-list.ts";
import type { StakerPages } from "../stakers/pages.ts";
import type { StakerRow } from "../stakers/rows.ts";
import type { ValidationKey } from "./delegations.ts";
import { shownValidator } from "./from-row.ts";
import type { Validator, ValidatorPage, ValidatorsArgs } from "./types.ts";

export interface ValidatorStore {
  /** Validations by when they begin; one statement. Throws `NOT_FOUND` for a network that is not served. */
  page(args: ValidatorsArgs): Promise<ValidatorPage>;
  /** Those that the transactions of these ids began. One statement. */
  byKey(keys: readonly ValidationKey[]): Promise<Validator[]>;
  /** Of a subnet, and of a node (network id, id as BYTEA, wanted status or nothing), the latest first. */
  ofSubnet(): NestedList<Validator>;
  ofNode(): NestedList<Validator>;
}

export interface ValidatorStoreDeps {
  readonly database: Pick<Database, "pool">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly pages: StakerPages;
  readonly nowSeconds: () => number;
}

const BELOW_SUBNET = below("validators-of-subnet", "VALIDATOR", { subnet_id: "bytea" });
const BELOW_NODE = below("validators-of-node", "VALIDATOR", { node_id: "bytea" });

export function createValidatorStore(deps: ValidatorStoreDeps): ValidatorStore {
  const { pages, networks, nowSeconds, pageTokens } = deps;
  const { pool } = deps.database;
  const byKey = createKeyedRows<StakerRow, ValidationKey>(pool, BY_KEY);
  const shown = async (rows: readonly (StakerRow & { readonly now?: string })[]) => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) =>
      shownValidator(served.get(row.networkId) as ServedNetwork, row, Number(row.now ?? nowSeconds())),
    );
  };
  // Made when it is used: its start is the clock's, and most requests have no list below another.
  const nested = (options: typeof BELOW_SUBNET): NestedList<Validator> => {
    let list: NestedList<Validator> | undefined;
    return (parent, page) => {
      list ??= createNestedList(pool, pageTokens, { ...options, start: startOfBelow(nowSeconds()) }, shown)();
      return list(parent, page);
    };
  };
  return {
    async page(args) {
      const { nodeId, subnetId, validationStatus } = args;
      const network = await networks.find(args.network);
      const filter = {
        networkId: network.networkId,
        kind: "VALIDATOR" as const,
        owners: null,
        nodes: nodeId ? [parseNodeIdParameter("nodeId", nodeId)] : null,
        subnet: subnetId ? parseIdParameter("subnetId", subnetId) : null,
        status: validationStatus ?? null,
      } as const;
      const { items, nextPageToken } = await pages(filter, args);
      const now = nowSeconds();
      return { nextPageToken, validators: items.map((row) => shownValidator(network, row, now)) };
    },
    byKey: async (keys) => shown((await byKey(keys)).filter(({ kind }) => kind === "VALIDATOR")),
    ofSubnet: () => nested(BELOW_SUBNET),
    ofNode: () => nested(BELOW_NODE),
  };
}
