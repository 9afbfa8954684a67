import { type Database, prepared } from "../../../core/database.ts";
import { Failure } from "../../../core/errors.ts";
import { type PageTokens, pageOf } from "../../../core/page.ts";
import type { L1Validator as Row } from "../../../prisma/client/client.ts";
import { createKeyedRows } from "../../shared/keyed-rows.ts";
import { createNestedList, type NestedList } from "../../shared/nested-list.ts";
import { bytea, byteaArray, columns, MAX_BIGINT, type TextRow } from "../../shared/rows.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import { parseIdParameter, parseNodeIdParameter } from "../identifiers/ids.ts";
import { addressText } from "../networks/addresses.ts";
import type { Networks, ServedNetwork } from "../networks/store.ts";
import type { L1Validator, L1ValidatorPage, L1ValidatorsArgs } from "./types.ts";

/** Most subnets that one list is of. */
const MOST_SUBNETS = 100;

export interface L1ValidationKey {
  readonly networkId: string;
  readonly validationId: string;
}

export interface L1ValidatorStore {
  /** The newest first, with the block after which it is so; one statement. Throws `NOT_FOUND` for a network that is not served. */
  page(args: L1ValidatorsArgs): Promise<L1ValidatorPage>;
  /** Removed ones too. One statement. */
  byKey(keys: readonly L1ValidationKey[]): Promise<L1Validator[]>;
  /** Of a subnet, and of a node (network id, id as BYTEA, whether inactive and removed ones are among them), the newest first. */
  ofSubnet(): NestedList<L1Validator>;
  ofNode(): NestedList<L1Validator>;
}

type ValidatorRow = TextRow<Row>;

const NAMES = [
  "networkId",
  "validationId",
  "validatorSeq",
  "subnetId",
  "nodeId",
  "weight",
  "creationTimestamp",
  "blsPublicKey",
  "blsProofOfPossession",
  "remainingBalanceOwnerThreshold",
  "minNonce",
  "deactivationOwnerThreshold",
  "isActive",
  "isRemoved",
] as const;

/** A validator as it is read; its lists are text. */
type L1ValidatorRow = Pick<ValidatorRow, (typeof NAMES)[number]> & {
  readonly balanceOwners: string;
  readonly deactivationOwners: string;
  readonly remainingBalance: string;
};

/** SELECT list of a validator `t`, all fees accrued up to the chain's last block taken off. */
const COLUMNS = `${columns<ValidatorRow>(...NAMES)},
  ${byteListSql("t.remaining_balance_owner_addresses")} AS "balanceOwners",
  ${byteListSql("t.deactivation_owner_addresses")} AS "deactivationOwners",
  CASE WHEN t.is_active THEN t.end_accumulated_fee
    - (SELECT p.l1_accrued_fees FROM p_chain_states p WHERE p.network_id = t.network_id) ELSE 0 END AS "remainingBalance"`;

/** Along which index a page is read. The values of a scope are each read in order, and merged. */
type Scope = "ids" | "nodes" | "subnets" | "states";

/** What is inactive is only found where `$5` lets it, and by its id; what is removed only where `$5` does. */
const LET_IN = "(t.is_active OR $5)";
const SCOPES: Readonly<Record<Scope, { readonly type: string; readonly where: string }>> = {
  ids: { type: "bytea", where: "t.validation_id = k.value AND (NOT t.is_removed OR $5)" },
  nodes: { type: "bytea", where: `t.node_id = k.value AND ${LET_IN}` },
  subnets: { type: "bytea", where: `t.subnet_id = k.value AND ${LET_IN}` },
  states: { type: "bool", where: `t.is_active = k.value AND ${LET_IN}` },
};

/** A page, and the block after which it is so; that alone where nobody is found. */
function pageStatement(scope: Scope): string {
  const { type, where } = SCOPES[scope];
  return `SELECT h.block_number AS "blockHeight", v.* FROM primary_heads h LEFT JOIN LATERAL (
      SELECT s.* FROM unnest($2::${type}[]) AS k(value), LATERAL (
        SELECT ${COLUMNS} FROM l1_validators t WHERE t.network_id = $1 AND ${where} AND t.validator_seq < $3
          AND ($6::bytea[] IS NULL OR t.subnet_id = ANY ($6)) AND ($7::bytea IS NULL OR t.node_id = $7)
        ORDER BY t.validator_seq DESC LIMIT $4
      ) s ORDER BY s."validatorSeq" DESC LIMIT $4
    ) v ON true WHERE h.network_id = $1 AND h.chain = 'P' ORDER BY v."validatorSeq" DESC`;
}

type PageRow = { readonly blockHeight: string } & (L1ValidatorRow | { readonly validationId: null });

const BY_KEY = {
  name: "l1-validators-by-key",
  table: "l1_validators",
  columns: COLUMNS,
  key: { network_id: "bigint", validation_id: "bytea" },
  valuesOf: ({ networkId, validationId }: L1ValidationKey) => [networkId, bytea(validationId)],
};

const below = (name: string, column: string) => ({
  name,
  key: { network_id: "bigint", [column]: "bytea", inactive: "bool" },
  position: { validator_seq: "bigint" },
  start: [MAX_BIGINT],
  select: `SELECT ${COLUMNS} FROM l1_validators t WHERE t.network_id = k.network_id AND t.${column} = k.${column}
    AND t.validator_seq < k.validator_seq AND (t.is_active OR k.inactive) ORDER BY t.validator_seq DESC`,
  positionOf: ({ validatorSeq }: L1ValidatorRow) => [validatorSeq],
});

export function createL1ValidatorStore(
  { pool }: Pick<Database, "pool">,
  pageTokens: PageTokens,
  networks: Networks,
): L1ValidatorStore {
  const read = (scope: Scope) => prepared<PageRow>(pool, `l1-validators-of-${scope}`, pageStatement(scope));
  const statements = { ids: read("ids"), nodes: read("nodes"), subnets: read("subnets"), states: read("states") };
  const byKey = createKeyedRows<L1ValidatorRow, L1ValidationKey>(pool, BY_KEY);
  const shown = async (rows: readonly L1ValidatorRow[]) => {
    const served = new Map((await networks.all()).map((network) => [network.networkId, network]));
    return rows.map((row) => shownL1Validator(served.get(row.networkId) as ServedNetwork, row));
  };
  return {
    async page(args) {
      const network = await networks.find(args.network);
      const filter = filterOf(args);
      const { id, node, subnets, inactive } = filter;
      const list = [network.networkId, id, node, subnets, inactive];
      const [before = MAX_BIGINT] = pageTokens.read("l1Validators", list, args.pageToken) ?? [];
      const [scope, values] = scopeOf(filter);
      const rows = await statements[scope]([
        network.networkId,
        values,
        before,
        args.size + 1,
        inactive,

        scope === "subnets" ? null : subnets && byteaArray(subnets),
        scope === "nodes" ? null : node && bytea(node),
      ]);
      const blockHeight = rows[0]?.blockHeight;
      if (blockHeight === undefined || blockHeight === "-1")
        throw new Failure("UNAVAILABLE", `no block of network ${network.network} is indexed yet`);
      const page = pageOf(rows.filter(isValidator), args.size, ({ validatorSeq }) =>
        pageTokens.sign("l1Validators", list, [validatorSeq]),
      );
      const validators = page.items.map((row) => shownL1Validator(network, row));
      return { nextPageToken: page.nextPageToken, validators, blockHeight };
    },
    byKey: async (keys) => shown(await byKey(keys)),
    ofSubnet: createNestedList(pool, pageTokens, below("l1-validators-below-subnet", "subnet_id"), shown),
    ofNode: createNestedList(pool, pageTokens, below("l1-validators-below-node", "node_id"), shown),
  };
}

const isValidator = (row: PageRow): row is PageRow & L1ValidatorRow => row.validationId !== null;

interface Filter {
  readonly id: string | null;
  readonly node: string | null;
  readonly subnets: readonly string[] | null;
  /** Whether inactive and removed ones are let in. */
  readonly inactive: boolean;
}

function filterOf({ l1ValidationId, nodeId, subnetId, includeInactiveL1Validators }: L1ValidatorsArgs): Filter {
  const subnets = subnetId?.length ? [...new Set(subnetId.map((id) => parseIdParameter("subnetId", id)))].sort() : null;
  if (subnets && subnets.length > MOST_SUBNETS)
    throw new Failure("INVALID_PARAMETER", `subnetId must be at most ${MOST_SUBNETS} subnets, got ${subnets.length}`);
  return {
    id: l1ValidationId ? parseIdParameter("l1ValidationId", l1ValidationId) : null,
    node: nodeId ? parseNodeIdParameter("nodeId", nodeId) : null,
    subnets,
    inactive: includeInactiveL1Validators ?? false,
  };
}

/** The narrowest index that a filter can be read along, and the values in it. */
function scopeOf({ id, node, subnets, inactive }: Filter): [Scope, unknown] {
  if (id) return ["ids", byteaArray([id])];
  if (node) return ["nodes", byteaArray([node])];
  if (subnets) return ["subnets", byteaArray(subnets)];
  return ["states", inactive ? [true, false] : [true]];
}

function shownL1Validator(network: ServedNetwork, row: L1ValidatorRow): L1Validator {
  const owner = (addresses: string, threshold: string) => ({
    addresses: byteList(addresses).map((address) => addressText(network, address)),
    threshold: Number(threshold),
  });
  return {
    served: network,
    network: network.network,
    validationId: row.validationId,
    validationIdHex: row.validationId,
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    weight: row.weight,
    remainingBalance: row.remainingBalance,
    creationTimestamp: row.creationTimestamp,
    blsCredentials: { publicKey: row.blsPublicKey, proofOfPossession: row.blsProofOfPossession },
    remainingBalanceOwner: owner(row.balanceOwners, row.remainingBalanceOwnerThreshold),
    deactivationOwner: owner(row.deactivationOwners, row.deactivationOwnerThreshold),
    isActive: row.isActive,
    isRemoved: row.isRemoved,
    minNonce: row.minNonce,
  };
}
