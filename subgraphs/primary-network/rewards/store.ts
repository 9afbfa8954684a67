import type { Database } from "../../../core/database/database.ts";
import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { PrimaryReward } from "../../../prisma/client/client.ts";
import { ascending, descending, type Keyset, of, sorted } from "../../shared/rows/keyset.ts";
import { createListReader } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { byteaArray, columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { createWholeList, type WholeList } from "../../shared/rows/whole-list.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import { assetAmount } from "../assets/amounts.ts";
import type { AssetStore } from "../assets/store.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { addressText, parseAddresses } from "../networks/addresses.ts";
import { inEachNetwork } from "../networks/by-network.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import type { RewardType } from "../utxos/reward-type.ts";
import type { HistoricalReward, RewardsArgs } from "./types.ts";

export interface RewardStore {
  /**
   * A page of rewards by end time of the stake. At most two statements. Throws `INVALID_PARAMETER` without addresses and nodes,
   * and throws like `Networks.require`.
   */
  page(args: RewardsArgs, work: Work): Promise<Page<HistoricalReward>>;
  /** Rewards of a node, latest end first. Parent key: network ID, node as BYTEA. Call once per request. */
  ofNode(work: Work): NestedList<HistoricalReward>;
  /** Like `ofNode`, for an owner. Parent key: network ID, address as BYTEA. */
  ofOwner(work: Work): NestedList<HistoricalReward>;
  /**
   * Rewards of a staker in order of payment. Parent key: network ID, node as BYTEA, first and last end time, staking
   * transaction as BYTEA. Call once per request.
   */
  ofStaker(work: Work): WholeList<HistoricalReward>;
}

type Row = TextRow<PrimaryReward>;

const NAMES = [
  "networkId",
  "rewardSeq",
  "utxoId",
  "outputIndex",
  "stakingTxHash",
  "rewardTxHash",
  "rewardType",
  "nodeId",
  "subnetId",
  "amountStaked",
  "startTimestamp",
  "endTimestamp",
  "assetId",
  "amount",
  "rewardTimestamp" as const,
] as const;

/** A row of `COLUMNS`. Owners are in the form that `byteList` parses. */
type RewardRow = Pick<Row, (typeof NAMES)[number]> & { readonly owners: string };

const COLUMNS = `${columns<Row>(...NAMES)}, ${byteListSql("t.addresses")} AS owners`;

/** The index that a page is read from. The rows of each filter value are read in order, then those of all values are merged. */
type Scope = "nodes" | "owners";

const SCOPES: Readonly<Record<Scope, string>> = {
  nodes: "primary_rewards t WHERE t.network_id = $1 AND t.node_id = k.value",
  owners:
    "reward_owners t WHERE t.network_id = $1 AND t.address = k.value AND ($6::bytea[] IS NULL OR t.node_id = ANY ($6))",
};

const ORDER = descending({ end_timestamp: "bigint", reward_seq: "bigint" });

/** Names of the columns of the order in the rows that are found by an index. */
const FOUND: Readonly<Record<string, string>> = { end_timestamp: "ended", reward_seq: "seq" };

/** Statement for a page of rewards. A reward that matches several owners is listed once. */
function pageStatement(scope: Scope, { after, orderBy }: Keyset): string {
  return `SELECT ${COLUMNS} FROM (
      SELECT DISTINCT s.end_timestamp AS ended, s.reward_seq AS seq FROM unnest($2::bytea[]) AS k(value), LATERAL (
        SELECT t.end_timestamp, t.reward_seq FROM ${SCOPES[scope]}
          AND ${after()}
        ORDER BY ${orderBy()} LIMIT $5
      ) s ORDER BY ${orderBy((column) => FOUND[column] ?? column)} LIMIT $5
    ) page JOIN primary_rewards t ON t.reward_seq = page.seq WHERE t.network_id = $1
    ORDER BY ${orderBy()}`;
}

const OF_NODE = {
  name: "rewards-of-node",
  key: { network_id: "bigint", node_id: "bytea" },
  order: ORDER,
  head: P_CHAIN_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM primary_rewards t WHERE t.network_id = $1
    AND t.node_id = k.node_id AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: ({ endTimestamp, rewardSeq }: RewardRow) => [endTimestamp, rewardSeq],
};

const OF_OWNER = {
  ...OF_NODE,
  name: "rewards-of-owner",
  key: { network_id: "bigint", address: "bytea" },
  select: ({ after, orderBy }: Keyset) => `SELECT r.* FROM reward_owners o, LATERAL (
      SELECT ${COLUMNS} FROM primary_rewards t WHERE t.network_id = $1 AND t.reward_seq = o.reward_seq LIMIT 1
    ) r
    WHERE o.network_id = $1 AND o.address = k.address AND ${after(of("o"))} ORDER BY ${orderBy(of("o"))}`,
};

const OF_STAKER = {
  name: "rewards-of-staker",
  key: { network_id: "bigint", node_id: "bytea", first_end: "bigint", last_end: "bigint", staking_tx_hash: "bytea" },
  order: ascending({ reward_seq: "bigint" }),
  select: ({ after, orderBy }: Keyset) => `SELECT ${COLUMNS} FROM primary_rewards t WHERE t.network_id = $1
    AND t.node_id = k.node_id AND t.end_timestamp BETWEEN k.first_end AND k.last_end
    AND t.staking_tx_hash = k.staking_tx_hash AND ${after()} ORDER BY ${orderBy()}`,
};

export interface RewardStoreDeps {
  readonly database: Pick<Database, "pool">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly assets: AssetStore;
}

export function createRewardStore({ database: { pool }, pageTokens, networks, assets }: RewardStoreDeps): RewardStore {
  const read = (scope: Scope, sortOrder: SortOrder) =>
    createListReader<RewardRow>(pool, {
      name: `rewards-of-${scope}-${sortOrder}`,
      order: sorted(ORDER, sortOrder),
      positionAt: 3,
      select: (keyset) => pageStatement(scope, keyset),
      head: P_CHAIN_HEAD,
    });
  const statements = {
    nodes: { desc: read("nodes", "desc"), asc: read("nodes", "asc") },
    owners: { desc: read("owners", "desc"), asc: read("owners", "asc") },
  };
  const ofNetwork = async (network: ServedNetwork, rows: readonly RewardRow[], work: Work) => {
    if (rows.length === 0) return [];
    const named = await assets.byIds(network, new Set(rows.map(({ assetId }) => assetId)), work);
    return rows.map((row) => rewardFromRow(network, row, named));
  };
  const fromRows = inEachNetwork(networks, ofNetwork);
  return {
    async page(args, work) {
      const network = await networks.require(args.network, "P");
      const direction = args.orderBy?.direction ?? "desc";
      const [owners, nodes] = filtersOf(network, args);
      const rewards = statements[owners ? "owners" : "nodes"][direction];
      const values = ({ position, limit }: PageFrom) => [
        network.networkId,
        byteaArray(owners ?? nodes ?? []),
        ...position,
        limit,
        ...(owners ? [nodes && byteaArray(nodes)] : []),
      ];
      const page = await readListPage(pageTokens, {
        list: "rewards",
        parameters: [network.networkId, owners, nodes, direction],
        page: args,
        ends: rewards.ends,
        read: (from) => rewards.read(values, from, work),
        count: () => rewards.count(values, work),
        positionOf: ({ endTimestamp, rewardSeq }) => [endTimestamp, rewardSeq],
      });
      return page.withNodes(await ofNetwork(network, page.nodes, work));
    },
    ofNode: createNestedList(pool, pageTokens, OF_NODE, fromRows),
    ofOwner: createNestedList(pool, pageTokens, OF_OWNER, fromRows),
    ofStaker: createWholeList(pool, OF_STAKER, fromRows),
  };
}

type Filter = readonly string[] | null;

function filtersOf(network: ServedNetwork, { filter }: RewardsArgs): readonly [owners: Filter, nodes: Filter] {
  const { addresses, nodeIds } = filter ?? {};
  if (!addresses?.length && !nodeIds?.length)
    throw new Failure("INVALID_PARAMETER", "addresses or nodeIds must be given");
  return [
    addresses?.length ? parseAddresses(network, addresses) : null,
    nodeIds?.length ? parseNodeIds("nodeIds", nodeIds) : null,
  ];
}

function rewardFromRow(
  network: ServedNetwork,
  row: RewardRow,
  assets: Awaited<ReturnType<AssetStore["byIds"]>>,
): HistoricalReward {
  const { rewardTimestamp, amount } = row;
  return {
    served: network,
    network: network.network,
    addresses: byteList(row.owners).map((address) => addressText(network, address)),
    txHash: row.stakingTxHash,
    amountStaked: row.amountStaked,
    nodeId: row.nodeId,
    subnetId: row.subnetId,
    startTimestamp: row.startTimestamp,
    endTimestamp: row.endTimestamp,
    rewardTimestamp,
    rewardType: row.rewardType as RewardType,
    utxoId: row.utxoId,
    outputIndex: row.outputIndex,
    reward: { ...assetAmount(network.network, assets, row.assetId, amount), rewardTimestamp, served: network },
    rewardTxHash: row.rewardTxHash,
  };
}
