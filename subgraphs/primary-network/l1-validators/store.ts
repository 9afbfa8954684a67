import type { Database } from "../../../core/database/database.ts";
import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { createListReader, type ListSelect } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { bytea, byteaArray } from "../../shared/rows/text-rows.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { createL1ValidatorsByKey, type L1ValidationKey } from "./by-key.ts";
import { COLUMNS, type L1ValidatorRow, l1ValidatorFromRow } from "./rows.ts";
import type { L1Validator, L1ValidatorConnection, L1ValidatorsArgs } from "./types.ts";

/** Maximum number of subnets in one filter. */
const MAX_SUBNETS = 100;

export interface L1ValidatorStore {
  /** A page, newest first, with the block height that it reflects. One statement. Throws like `Networks.require`. */
  page(args: L1ValidatorsArgs, work: Work): Promise<L1ValidatorConnection>;
  /** L1 validators by validation ID, including removed ones, in any order. */
  byKey(keys: readonly L1ValidationKey[], work: Work): Promise<L1Validator[]>;
  /**
   * L1 validators of a subnet, newest first. Parent key: network ID, subnet as BYTEA, `true` to include inactive and removed
   * ones. Call once per request.
   */
  ofSubnet(work: Work): NestedList<L1Validator>;
  /** Like `ofSubnet`, for a node. */
  ofNode(work: Work): NestedList<L1Validator>;
}

/** The index that a page is read from. The rows of each filter value are read in order, then those of all values are merged. */
type Scope = "ids" | "nodes" | "subnets" | "states";

/** If `$5` is true, inactive and removed validators match too. A filter by validation ID always finds an inactive validator. */
const IS_INCLUDED = "(t.is_active OR $5)";
const SCOPES: Readonly<Record<Scope, { readonly type: string; readonly where: string }>> = {
  ids: { type: "bytea", where: "t.validation_id = k.value AND (NOT t.is_removed OR $5)" },
  nodes: { type: "bytea", where: `t.node_id = k.value AND ${IS_INCLUDED}` },
  subnets: { type: "bytea", where: `t.subnet_id = k.value AND ${IS_INCLUDED}` },
  states: { type: "bool", where: `t.is_active = k.value AND ${IS_INCLUDED}` },
};

const ORDER = descending({ validator_seq: "bigint" });

/** A page and the block height that it reflects. Without matches, the statement returns one row with the height alone. */
const pageSelect = (scope: Scope): ListSelect => ({
  order: ORDER,
  positionAt: 3,
  select: (keyset) => pageStatement(scope, keyset),
});

function pageStatement(scope: Scope, { after, orderBy }: Keyset): string {
  const { type, where } = SCOPES[scope];
  const byName = orderBy(() => '"validatorSeq"');
  return `SELECT h.block_number AS "blockHeight", v.* FROM primary_heads h LEFT JOIN LATERAL (
      SELECT s.* FROM unnest($2::${type}[]) AS k(value), LATERAL (
        SELECT ${COLUMNS} FROM l1_validators t WHERE t.network_id = $1 AND ${where} AND ${after()}
          AND ($6::bytea[] IS NULL OR t.subnet_id = ANY ($6)) AND ($7::bytea IS NULL OR t.node_id = $7)
        ORDER BY ${orderBy()} LIMIT $4
      ) s ORDER BY ${byName} LIMIT $4
    ) v ON true WHERE h.network_id = $1 AND h.chain = 'P' ORDER BY ${byName}`;
}

type PageRow = { readonly blockHeight: string } & (L1ValidatorRow | { readonly validationId: null });

const nested = (name: string, column: string) => ({
  name,
  key: { network_id: "bigint", [column]: "bytea", inactive: "bool" },
  order: ORDER,
  head: P_CHAIN_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM l1_validators t WHERE t.network_id = $1
    AND t.${column} = k.${column} AND ${after()} AND (t.is_active OR k.inactive) ORDER BY ${orderBy()}`,
  positionOf: ({ validatorSeq }: L1ValidatorRow) => [validatorSeq],
});

export function createL1ValidatorStore(
  database: Pick<Database, "pool" | "prisma">,
  pageTokens: PageTokens,
  networks: Networks,
): L1ValidatorStore {
  const { pool } = database;
  const read = (scope: Scope) =>
    createListReader<PageRow>(pool, {
      ...pageSelect(scope),
      name: `l1-validators-of-${scope}`,
      head: P_CHAIN_HEAD,
      counted: "validationId",
    });
  const statements = { ids: read("ids"), nodes: read("nodes"), subnets: read("subnets"), states: read("states") };
  const byKey = createL1ValidatorsByKey(database);
  const fromRows = async (rows: readonly L1ValidatorRow[]) => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) => l1ValidatorFromRow(served.get(row.networkId) as ServedNetwork, row));
  };
  return {
    async page(args, work) {
      const network = await networks.require(args.network, "P");
      const filter = filterOf(args);
      const { id, node, subnets, inactive } = filter;
      const [scope, values] = scopeOf(filter);
      const validators = statements[scope];
      const others = [
        scope === "subnets" ? null : subnets && byteaArray(subnets),
        scope === "nodes" ? null : node && bytea(node),
      ];
      const valuesFor = ({ position, limit }: PageFrom) => [
        network.networkId,
        values,
        ...position,
        limit,
        inactive,
        ...others,
      ];
      let blockHeight = "-1";
      const page = await readListPage<L1ValidatorRow>(pageTokens, {
        list: "l1Validators",
        parameters: [network.networkId, id, node, subnets, inactive],
        page: args,
        ends: validators.ends,
        async read(from) {
          const { rows, heads } = await validators.read(valuesFor, from, work);
          blockHeight = rows[0]?.blockHeight ?? "-1";
          if (blockHeight === "-1")
            throw new Failure("UNAVAILABLE", `p-chain of network ${network.network} is not indexed yet`);
          return { rows: rows.filter(isValidator), heads };
        },
        count: () => validators.count(valuesFor, work),
        positionOf: ({ validatorSeq }) => [validatorSeq],
      });
      return page
        .withNodes(page.nodes.map((row) => l1ValidatorFromRow(network, row)))
        .with({ network: network.network, blockHeight });
    },
    byKey: async (keys, work) => fromRows(await byKey(keys, work)),
    ofSubnet: createNestedList(pool, pageTokens, nested("l1-validators-below-subnet", "subnet_id"), fromRows),
    ofNode: createNestedList(pool, pageTokens, nested("l1-validators-below-node", "node_id"), fromRows),
  };
}

const isValidator = (row: PageRow): row is PageRow & L1ValidatorRow => row.validationId !== null;

interface Filter {
  readonly id: string | null;
  readonly node: string | null;
  readonly subnets: readonly string[] | null;
  /** True to include inactive and removed validators. */
  readonly inactive: boolean;
}

function filterOf({ l1ValidationId, nodeId, subnetId, includeInactiveL1Validators }: L1ValidatorsArgs): Filter {
  const subnets = subnetId?.length ? [...new Set(subnetId.map((id) => parseIdParameter("subnetId", id)))].sort() : null;
  if (subnets && subnets.length > MAX_SUBNETS)
    throw new Failure("INVALID_PARAMETER", `subnetId must be at most ${MAX_SUBNETS} subnet IDs, got ${subnets.length}`);
  return {
    id: l1ValidationId ? parseIdParameter("l1ValidationId", l1ValidationId) : null,
    node: nodeId ? parseNodeIdParameter("nodeId", nodeId) : null,
    subnets,
    inactive: includeInactiveL1Validators ?? false,
  };
}

/** The most selective index for a filter, and the values to read in it. */
function scopeOf({ id, node, subnets, inactive }: Filter): [Scope, unknown] {
  if (id) return ["ids", byteaArray([id])];
  if (node) return ["nodes", byteaArray([node])];
  if (subnets) return ["subnets", byteaArray(subnets)];
  return ["states", inactive ? [true, false] : [true]];
}
