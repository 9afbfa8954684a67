import type { Database } from "../../../core/database/database.ts";
import { P_CHAIN_HEAD, preparedList } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { type PageTokens, readListPage } from "../../../core/graph/page.ts";
import type { Work } from "../../../core/work/work.ts";
import type { PrimaryReward } from "../../../prisma/client/client.ts";
import { createNestedList, type NestedList } from "../../shared/rows/nested-list.ts";
import { byteaArray, columns, type TextRow } from "../../shared/rows/text-rows.ts";
import { createWholeList, type WholeList } from "../../shared/rows/whole-list.ts";
import { assetAmount } from "../assets/amounts.ts";
import type { AssetStore } from "../assets/store.ts";
import { byteList, byteListSql } from "../identifiers/byte-lists.ts";
import { parseNodeIds } from "../identifiers/node-id-list.ts";
import { addressText, parseAddresses } from "../networks/addresses.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";
import { DIRECTIONS, FIRST_POSITION, type SortOrder } from "../paging/sort-order.ts";
import type { RewardType } from "../utxos/reward-type.ts";
import type { HistoricalReward, HistoricalRewardPage, RewardsArgs } from "./types.ts";

export interface RewardStore {
  /**
   * A page of rewards by end time of the stake. At most two statements. Throws `INVALID_PARAMETER` without addresses and nodes,
   * and throws like `Networks.require`.
   */
  page(args: RewardsArgs, work: Work): Promise<HistoricalRewardPage>;
  /** Rewards of a node, latest end first. Parent key: network ID, node as BYTEA. Call once per request. */
  ofNode(work: Work): NestedList<HistoricalReward>;
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

/** Statement for a page of rewards. A reward that matches several owners is listed once. */
function pageStatement(scope: Scope, sortOrder: SortOrder): string {
  const { order, follows } = DIRECTIONS[sortOrder];
  return `SELECT ${COLUMNS} FROM (
      SELECT DISTINCT s.end_timestamp AS ended, s.reward_seq AS seq FROM unnest($2::bytea[]) AS k(value), LATERAL (
        SELECT t.end_timestamp, t.reward_seq FROM ${SCOPES[scope]}
          AND (t.end_timestamp, t.reward_seq) ${follows} ($3::bigint, $4::bigint)
        ORDER BY t.end_timestamp ${order}, t.reward_seq ${order} LIMIT $5
      ) s ORDER BY ended ${order}, seq ${order} LIMIT $5
    ) page JOIN primary_rewards t ON t.reward_seq = page.seq WHERE t.network_id = $1
    ORDER BY t.end_timestamp ${order}, t.reward_seq ${order}`;
}

const OF_NODE = {
  name: "rewards-of-node",
  key: { network_id: "bigint", node_id: "bytea" },
  position: { end_timestamp: "bigint", reward_seq: "bigint" },
  start: FIRST_POSITION.desc,
  head: P_CHAIN_HEAD,
  select: `SELECT ${COLUMNS} FROM primary_rewards t WHERE t.network_id = $1 AND t.node_id = k.node_id
    AND (t.end_timestamp, t.reward_seq) < (k.end_timestamp, k.reward_seq)
    ORDER BY t.end_timestamp DESC, t.reward_seq DESC`,
  positionOf: ({ endTimestamp, rewardSeq }: RewardRow) => [endTimestamp, rewardSeq],
};

const OF_STAKER = {
  name: "rewards-of-staker",
  key: { network_id: "bigint", node_id: "bytea", first_end: "bigint", last_end: "bigint", staking_tx_hash: "bytea" },
  position: { reward_seq: "bigint" },
  start: ["-1"],
  select: `SELECT ${COLUMNS} FROM primary_rewards t WHERE t.network_id = $1 AND t.node_id = k.node_id
    AND t.end_timestamp BETWEEN k.first_end AND k.last_end AND t.staking_tx_hash = k.staking_tx_hash AND t.reward_seq > k.reward_seq
    ORDER BY t.reward_seq`,
};

export interface RewardStoreDeps {
  readonly database: Pick<Database, "pool">;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
  readonly assets: AssetStore;
}

export function createRewardStore({ database: { pool }, pageTokens, networks, assets }: RewardStoreDeps): RewardStore {
  const read = (scope: Scope, sortOrder: SortOrder) =>
    preparedList<RewardRow>(pool, `rewards-of-${scope}-${sortOrder}`, pageStatement(scope, sortOrder), P_CHAIN_HEAD);
  const statements = {
    nodes: { desc: read("nodes", "desc"), asc: read("nodes", "asc") },
    owners: { desc: read("owners", "desc"), asc: read("owners", "asc") },
  };
  const ofNetwork = async (network: ServedNetwork, rows: readonly RewardRow[], work: Work) => {
    if (rows.length === 0) return [];
    const named = await assets.byIds(network, new Set(rows.map(({ assetId }) => assetId)), work);
    return rows.map((row) => rewardFromRow(network, row, named));
  };
  const fromRows = async (rows: readonly RewardRow[], work: Work) => {
    const all = new Map<string, HistoricalReward>();
    for (const network of await networks.all()) {
      const some = rows.filter(({ networkId }) => networkId === network.networkId);
      const rewards = await ofNetwork(network, some, work);
      some.forEach(
        (row, index) => void all.set(`${row.networkId} ${row.rewardSeq}`, rewards[index] as HistoricalReward),
      );
    }
    return rows.map(({ networkId, rewardSeq }) => all.get(`${networkId} ${rewardSeq}`) as HistoricalReward);
  };
  return {
    async page(args, work) {
      const network = await networks.require(args.network, "P");
      const direction = args.sortOrder ?? "desc";
      const [owners, nodes] = filtersOf(network, args);
      const { items, nextPageToken } = await readListPage(pageTokens, {
        list: "rewards",
        parameters: [network.networkId, owners, nodes, direction],
        page: args,
        start: FIRST_POSITION[direction],
        read(position) {
          const values = [network.networkId, byteaArray(owners ?? nodes ?? []), ...position, args.size + 1];
          return owners
            ? statements.owners[direction]([...values, nodes && byteaArray(nodes)], work)
            : statements.nodes[direction](values, work);
        },
        positionOf: ({ endTimestamp, rewardSeq }) => [endTimestamp, rewardSeq],
      });
      return { nextPageToken, historicalRewards: await ofNetwork(network, items, work) };
    },
    ofNode: createNestedList(pool, pageTokens, OF_NODE, fromRows),
    ofStaker: createWholeList(pool, OF_STAKER, fromRows),
  };
}

type Filter = readonly string[] | null;

function filtersOf(
  network: ServedNetwork,
  { addresses, nodeIds }: RewardsArgs,
): readonly [owners: Filter, nodes: Filter] {
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
    reward: { ...assetAmount(assets, row.assetId, amount), rewardTimestamp, served: network },
    rewardTxHash: row.rewardTxHash,
  };
}
