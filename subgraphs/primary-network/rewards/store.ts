import type { Database } from "../../../core/database/database.ts";
import { P_CHAIN_HEAD } from "../../../core/database/database.ts";
import type { Page } from "../../../core/graph/connection-page.ts";
import { type PageFrom, type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import { ascending, type Keyset, of, sorted } from "../../shared/rows/keyset.ts";
import { createListReader } from "../../shared/rows/list-reader.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import { createWholeList, type WholeList } from "../../shared/rows/whole-list.ts";
import type { SortOrder } from "../../shared/schema/sort-order.ts";
import { assetAmount } from "../assets/amounts.ts";
import type { AssetStore } from "../assets/store.ts";
import { byteList } from "../identifiers/byte-lists.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { addressText, parseAddresses } from "../networks/addresses.ts";
import { inEachNetwork } from "../networks/by-network.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import type { RewardType } from "../utxos/reward-type.ts";
import {
  REWARD_COLUMNS,
  REWARD_ORDER,
  REWARD_POSITION_AT,
  type RewardRow,
  type RewardScope,
  rewardsStatement,
} from "./rows.ts";
import type { HistoricalReward, RewardsArgs } from "./types.ts";

export interface RewardStore {
  /**
   * A page of rewards by end time of the stake. At most two statements. Throws like `Networks.require`.
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

const OF_NODE = {
  name: "rewards-of-node",
  key: { network_id: "bigint", node_id: "bytea" },
  order: REWARD_ORDER,
  head: P_CHAIN_HEAD,
  select: ({ after, orderBy }: Keyset) => `SELECT ${REWARD_COLUMNS} FROM primary_rewards t WHERE t.network_id = $1
    AND t.node_id = k.node_id AND ${after()} ORDER BY ${orderBy()}`,
  positionOf: ({ endTimestamp, rewardSeq }: RewardRow) => [endTimestamp, rewardSeq],
};

const OF_OWNER = {
  ...OF_NODE,
  name: "rewards-of-owner",
  key: { network_id: "bigint", address: "bytea" },
  select: ({ after, orderBy }: Keyset) => `SELECT r.* FROM reward_owners o, LATERAL (
      SELECT ${REWARD_COLUMNS} FROM primary_rewards t WHERE t.network_id = $1 AND t.reward_seq = o.reward_seq LIMIT 1
    ) r
    WHERE o.network_id = $1 AND o.address = k.address AND ${after(of("o"))} ORDER BY ${orderBy(of("o"))}`,
};

const OF_STAKER = {
  name: "rewards-of-staker",
  key: { network_id: "bigint", node_id: "bytea", first_end: "bigint", last_end: "bigint", staking_tx_hash: "bytea" },
  order: ascending({ reward_seq: "bigint" }),
  select: ({ after, orderBy }: Keyset) => `SELECT ${REWARD_COLUMNS} FROM primary_rewards t WHERE t.network_id = $1
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
  const read = (scope: RewardScope, sortOrder: SortOrder) =>
    createListReader<RewardRow>(pool, {
      name: `rewards-of-${scope}-${sortOrder}`,
      order: sorted(REWARD_ORDER, sortOrder),
      positionAt: REWARD_POSITION_AT,
      select: (keyset) => rewardsStatement(scope, keyset),
      head: P_CHAIN_HEAD,
    });
  const readers = (scope: RewardScope) => ({ desc: read(scope, "desc"), asc: read(scope, "asc") });
  const statements = { network: readers("network"), nodes: readers("nodes"), owners: readers("owners") };
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
      const { owners, nodes } = filterOf(network, args);
      const scope = owners ? "owners" : nodes ? "nodes" : "network";
      const rewards = statements[scope][direction];
      const inScope = { owners: [owners, nodes], nodes: [nodes], network: [] }[scope];
      const values = ({ position, limit }: PageFrom) => [
        network.networkId,
        ...position,
        limit,
        ...inScope.map((list) => list && byteaArray(list)),
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

/** Owners and nodes in `0x` hex; null: any. */
interface Filter {
  readonly owners: readonly string[] | null;
  readonly nodes: readonly string[] | null;
}

function filterOf(network: ServedNetwork, { filter }: RewardsArgs): Filter {
  const { addresses, nodeIds } = filter ?? {};
  return {
    owners: addresses?.length ? parseAddresses(network, addresses) : null,
    nodes: nodeIds?.length ? parseNodeIds("nodeIds", nodeIds) : null,
  };
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
