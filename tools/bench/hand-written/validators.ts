import type { RequestHandler } from "express";
import { primaryHead } from "../../../core/database/database.ts";
import { decimalText } from "../../../core/formats/decimal.ts";
import { splitReward } from "../../../core/networks/staking-rewards.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { byteList } from "../../../subgraphs/primary-network/identifiers/byte-lists.ts";
import { idText, nodeIdText, parseNodeIdParameter } from "../../../subgraphs/primary-network/identifiers/ids.ts";
import { addressText } from "../../../subgraphs/primary-network/networks/addresses.ts";
import type { ServedNetwork } from "../../../subgraphs/primary-network/networks/served-network.ts";
import { endsOf, LATEST_START, orderOf, rangeOf } from "../../../subgraphs/primary-network/stakers/order.ts";
import {
  STAKER_POSITION_AT,
  type StakerRow,
  stakerPageStatement,
} from "../../../subgraphs/primary-network/stakers/rows.ts";
import {
  possibleStatuses,
  statusAt,
  type ValidationStatus,
} from "../../../subgraphs/primary-network/stakers/status.ts";
import { DELEGATION_TOTALS, type DelegationsRow } from "../../../subgraphs/primary-network/validators/delegations.ts";
import type { Observation } from "../../../subgraphs/primary-network/validators/observations.ts";
import { percentOf } from "../../../subgraphs/primary-network/validators/percent.ts";
import { type ListSelect, selectOf } from "../../../subgraphs/shared/rows/list-reader.ts";
import { bytea, byteaArray } from "../../../subgraphs/shared/rows/text-rows.ts";
import { firstPageOf } from "./first-page.ts";
import type { PrimaryDeps } from "./primary-deps.ts";
import { prepared, type WithHead, withHead } from "./statement.ts";

type Delegations = DelegationsRow & Record<string, unknown>;

const OF_NODES: ListSelect = {
  order: orderOf(LATEST_START),
  positionAt: STAKER_POSITION_AT,
  select: (keyset) => stakerPageStatement("nodes", "START_TIME", keyset),
};

/** Handler of E12: the first page, newest first, for active validators whose reward is known. */
export function createValidatorsHandler(deps: PrimaryDeps): RequestHandler {
  const { pool, tokens, networks, stakeTotals, observations } = deps;
  const stakersOf = prepared<StakerRow & WithHead>(
    pool,
    "stakers",
    withHead(selectOf(OF_NODES, false), primaryHead("'P'")),
  );
  const delegationsOf = prepared<Delegations>(pool, "delegations", DELEGATION_TOTALS);

  return async (request, response) => {
    const network = await networks.require(request.params["network"] === "mainnet" ? "mainnet" : "fuji");
    const { networkId } = network;
    const size = Number(request.query["pageSize"] ?? 10);
    if (!(size >= 1 && size <= 100)) return void response.status(400).json({ message: "pageSize" });
    const nodes = [parseNodeIdParameter("nodeId", String(request.params["nodeId"]))];
    const status = (request.query["validationStatus"] as ValidationStatus | undefined) ?? null;
    const now = Math.floor(Date.now() / 1_000);
    const rows = await stakersOf([
      networkId,
      "VALIDATOR",
      possibleStatuses("VALIDATOR", status),
      ...endsOf(LATEST_START).first,
      size + 1,
      status,
      now,
      ...rangeOf(LATEST_START),
      byteaArray(nodes),
      null,
    ]);
    const list = [networkId, "VALIDATOR", null, nodes, null, status, "START_TIME", "desc", null, null];
    const { items, nextPageToken } = firstPageOf(rows, size, ({ startTimestamp, stakerSeq, head }) =>
      tokens.sign("stakers", list, { position: [startTimestamp, stakerSeq], heads: [head] }),
    );
    const rewarded = items.filter(({ isPermissioned }) => !isPermissioned);
    if (rewarded.some(({ potentialReward }) => potentialReward === null))
      return void response.status(501).json({ message: "estimates are not implemented" });
    const [found, totals, seen] = await Promise.all([
      delegationsOf([networkId, rewarded.map(({ txHash }) => bytea(txHash))]),
      stakeTotals.of(networkId, SERVICE_WORK),
      observations.of(network.network, nodeIdText(nodes[0] as string)),
    ]);
    const delegations = new Map(found.map((one) => [rewarded[Number(one.request) - 1]?.txHash, one]));
    response.json({
      nextPageToken: nextPageToken ?? undefined,
      validators: items.map((row) =>
        validatorOf(row, {
          network,
          now,
          seen,
          totals,
          delegations: delegations.get(row.txHash) ?? NONE,
        }),
      ),
    });
  };
}

const NONE = { count: 0, amount: "0", active_amount: "0", active_rewards: "" };

/** Data of a page besides the row of a validation. */
interface PageData {
  readonly network: ServedNetwork;
  readonly now: number;
  readonly seen: Observation | null;
  readonly totals: ReadonlyMap<string, bigint>;
  readonly delegations: Pick<DelegationsRow, keyof typeof NONE>;
}

function validatorOf(row: StakerRow, page: PageData) {
  const { network, now, seen, totals, delegations } = page;
  const validationStatus = statusAt(row, now);
  const isActive = validationStatus === "active";
  const weight = BigInt(row.weight) + BigInt(delegations.active_amount);
  return {
    txHash: idText(row.txHash),
    nodeId: nodeIdText(row.nodeId),
    subnetId: idText(row.subnetId),
    amountStaked: row.isPermissioned ? "0" : row.weight,
    delegationFee: row.shares === null ? undefined : decimalText(BigInt(row.shares), 4),
    startTimestamp: Number(row.startTimestamp),
    endTimestamp: Number(row.endTimestamp),
    blsCredentials: row.blsPublicKey
      ? { publicKey: row.blsPublicKey, proofOfPossession: row.blsProofOfPossession }
      : undefined,
    stakePercentage: isActive ? percentOf(weight, totals.get(row.subnetId) ?? 0n) : undefined,
    delegatorCount: delegations.count,
    amountDelegated: delegations.amount,
    uptimePerformance: isActive ? (seen?.uptimePercent ?? 0) : undefined,
    potentialRewards: isActive ? potentialOf(row, delegations.active_rewards, network) : undefined,
    rewards: validationStatus === "completed" ? paidOf(row, network) : undefined,
    validationStatus,
    validatorHealth: isActive ? healthOf(seen) : undefined,
    removeTxHash: row.removeTxHash ? idText(row.removeTxHash) : undefined,
    removeTimestamp: validationStatus === "removed" ? Number(row.endedTimestamp) : undefined,
  };
}

function addressesOf({ isPermissioned, rewardAddresses }: StakerRow, network: ServedNetwork): string[] | undefined {
  return isPermissioned ? undefined : byteList(rewardAddresses).map((address) => addressText(network, address));
}

function potentialOf(row: StakerRow, activeRewards: string, network: ServedNetwork) {
  let delegation = BigInt(row.accruedShare) + BigInt(row.paidShare);
  if (activeRewards !== "")
    for (const reward of activeRewards.split(",")) delegation += splitReward(BigInt(reward), row.shares ?? 0).validator;
  return {
    validationRewardAmount: row.potentialReward ?? "0",
    delegationRewardAmount: String(delegation),
    rewardAddresses: addressesOf(row, network),
  };
}

function paidOf(row: StakerRow, network: ServedNetwork) {
  return {
    validationRewardAmount: row.paidReward,
    delegationRewardAmount: row.paidShare,
    rewardAddresses: addressesOf(row, network),
    rewardTxHash: row.rewardTxHash ? idText(row.rewardTxHash) : undefined,
  };
}

function healthOf(seen: Observation | null) {
  return {
    reachabilityPercent: seen?.isConnected ? 100 : 0,
    benchedPChainRequestsPercent: seen?.benched.has("P") ? 100 : 0,
    benchedXChainRequestsPercent: seen?.benched.has("X") ? 100 : 0,
    benchedCChainRequestsPercent: seen?.benched.has("C") ? 100 : 0,
  };
}
