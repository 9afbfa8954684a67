import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, formatNodeId } from "../../../core/formats/id-text.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { ZERO_ID } from "../network/chains.ts";
import type { OwnerText } from "../replay/transactions/type-columns.ts";
import { type ComparisonDeps, type ComparisonResult, combined, differencesBetween, textOf } from "./comparison.ts";
import { nullIfAbsent, PATHS } from "./node.ts";

interface StakerRow {
  readonly tx_hash: Buffer;
  readonly kind: string;
  readonly node_id: Buffer;
  readonly weight: string;
  readonly start_timestamp: string;
  readonly end_timestamp: string;
  readonly shares: number | null;
  readonly bls_public_key: Buffer | null;
  readonly potential_reward: string | null;
  readonly accrued_share: string;
  readonly reward_owner: string | null;
  readonly share_owner: string | null;
  readonly next_period: string | null;
  readonly auto_compound_shares: number | null;
}

type Answer = Readonly<Record<string, string>> & {
  readonly signer?: { readonly publicKey: string };
  readonly delegators?: readonly Answer[];
  readonly validationRewardOwner?: OwnerAnswer;
  readonly delegationRewardOwner?: OwnerAnswer;
  readonly rewardOwner?: OwnerAnswer;
};

interface OwnerAnswer {
  readonly locktime: string;
  readonly threshold: string;
  readonly addresses: readonly string[];
}

/**
 * Compares the active validators and delegators of every subnet, except L1 validators; or, of the primary network alone, those of the
 * nodes with these ids (hex).
 */
export async function compareStakers(
  { pool, network, node }: ComparisonDeps,
  nodeIds?: readonly string[],
): Promise<ComparisonResult> {
  const { rows: subnets } = await pool.query<{ subnet_id: Buffer }>(
    "SELECT subnet_id FROM subnets WHERE network_id = $1 AND $2",
    [network.networkId, nodeIds === undefined],
  );
  const all: ComparisonResult[] = [];
  for (const hex of [ZERO_ID, ...subnets.map(({ subnet_id }) => subnet_id.toString("hex"))]) {
    const { rows } = await pool.query<StakerRow>(
      `SELECT * FROM stakers WHERE network_id = $1 AND subnet_id = $2 AND status = 'ACTIVE'
         AND ($3::bytea[] IS NULL OR node_id = ANY ($3))`,
      [network.networkId, `\\x${hex}`, nodeIds?.map(pgBytes) ?? null],
    );
    const id = formatId(hex);
    const onNode = await currentStakers(node, hex === ZERO_ID ? {} : { subnetID: id }, id, nodeIds?.map(formatNodeId));
    const indexed = new Map(rows.map((row) => [nameOf(row), indexedFields(row, network.hrp)]));
    const texts = [...indexed].map(([name, one]) => [name, textOf(onlyMembersOf(one, onNode.get(name)))] as const);
    const fromNode = [...onNode].map(([name, one]) => [name, textOf(one)] as const);
    all.push(differencesBetween(`staker of subnet ${id},`, new Map(texts), new Map(fromNode)));
  }
  return combined(all);
}

/** Leaves out members that the node's release does not return. */
function onlyMembersOf(indexed: StakerFields, fromNode: StakerFields | undefined): StakerFields {
  return fromNode
    ? Object.fromEntries(Object.entries(indexed).filter(([name]) => fromNode[name] !== undefined))
    : indexed;
}

type StakerFields = Readonly<Record<string, string | null | undefined>>;

const nameOf = ({ kind, tx_hash }: StakerRow): string => `${kind.toLowerCase()} ${formatId(tx_hash.toString("hex"))}`;

function indexedFields(row: StakerRow, hrp: string): StakerFields {
  const owner = (text: string | null) => (text === null ? null : ownerOf(JSON.parse(text) as OwnerText, hrp));
  const isValidator = row.kind === "VALIDATOR";
  return {
    nodeId: formatNodeId(row.node_id.toString("hex")),
    weight: row.weight,
    start: row.start_timestamp,
    end: row.end_timestamp,
    potentialReward: row.potential_reward,
    fee: row.shares === null ? null : (row.shares / 10_000).toFixed(4),
    key: row.bls_public_key ? `0x${row.bls_public_key.toString("hex")}` : null,
    rewardOwner: owner(row.reward_owner),
    shareOwner: isValidator ? owner(row.share_owner) : null,
    accruedShare: isValidator && row.share_owner !== null ? row.accrued_share : null,

    nextPeriod: row.next_period,
    restakes: row.auto_compound_shares === null ? null : String(row.auto_compound_shares),
  };
}

function ownerOf({ locktime, threshold, addresses }: OwnerText, prefix: string): string {
  const texts = addresses.map((address) => formatAddress({ chain: "P", prefix, address }));
  return `${threshold} of ${texts.join(", ")} from ${locktime} on`;
}

const ownerIn = (owner: OwnerAnswer | undefined): string | null =>
  owner ? `${owner.threshold} of ${owner.addresses.join(", ")} from ${owner.locktime} on` : null;

/** Requests the validators one by one, because a node lists delegators only in the answer to a request for one validator. */
async function currentStakers(
  node: ComparisonDeps["node"],
  subnet: object,
  subnetId: string,
  nodeIds?: readonly string[],
) {
  const ask = async (more: object) => {
    const answer = await node.ask(PATHS.P, "platform.getCurrentValidators", { ...subnet, ...more });
    return (answer as { validators: readonly Answer[] }).validators.filter((one) => one["validationID"] === undefined);
  };
  const found = new Map<string, StakerFields>();
  const asked = new Set<string>();
  const listed = nodeIds ?? (await ask({})).map(({ nodeID }) => nodeID);
  for (const nodeID of listed) {
    if (nodeID === undefined || asked.has(nodeID)) continue;
    asked.add(nodeID);
    const params = subnetId === formatId(ZERO_ID) ? { subnetID: subnetId } : {};
    for (const one of await ask({ ...params, nodeIDs: [nodeID] })) {
      found.set(`validator ${one["txID"]}`, nodeFields(one));
      for (const delegator of one.delegators ?? []) found.set(`delegator ${delegator["txID"]}`, nodeFields(delegator));
    }
  }
  return found;
}

function nodeFields(one: Answer): StakerFields {
  return {
    nodeId: one["nodeID"],
    weight: one["weight"] ?? one["stakeAmount"],
    start: one["startTime"],
    end: one["endTime"],
    potentialReward: one["potentialReward"] ?? null,
    fee: one["delegationFee"] ?? null,
    key: one.signer?.publicKey ?? null,
    rewardOwner: ownerIn(one.validationRewardOwner ?? one.rewardOwner),
    shareOwner: ownerIn(one.delegationRewardOwner),
    // Reported since Cortina; delegators and permissioned validators have none.
    accruedShare: one["accruedDelegateeReward"] ?? (one["delegationFee"] === undefined ? null : undefined),
    nextPeriod: one["nextPeriod"] ?? null,
    restakes: one["autoCompoundRewardShares"] ?? null,
  };
}

interface L1Row {
  readonly validation_id: Buffer;
  readonly node_id: Buffer;
  readonly subnet_id: Buffer;
  readonly weight: string;
  readonly creation_timestamp: string;
  readonly min_nonce: string;
  readonly bls_public_key: Buffer;
  readonly balance: string;
  readonly is_removed: boolean;
  readonly remaining_balance_owner_addresses: readonly Buffer[];
  readonly remaining_balance_owner_threshold: string;
  readonly deactivation_owner_addresses: readonly Buffer[];
  readonly deactivation_owner_threshold: string;
}

/**
 * Compares weight, balance and owners of every L1 validator, or of those with these ids (hex). For removed validators, checks that the node
 * does not return them.
 */
export async function compareL1Validators(
  { pool, network, node }: ComparisonDeps,
  validationIds?: readonly string[],
): Promise<ComparisonResult> {
  const { rows } = await pool.query<L1Row>(
    `SELECT v.*, CASE WHEN v.is_active THEN v.end_accumulated_fee - s.l1_accrued_fees ELSE 0 END AS balance
     FROM l1_validators v JOIN p_chain_states s ON s.network_id = $1
     WHERE v.network_id = $1 AND ($2::bytea[] IS NULL OR v.validation_id = ANY ($2))`,
    [network.networkId, validationIds?.map(pgBytes) ?? null],
  );
  const indexed = new Map<string, string>();
  const fromNode = new Map<string, string>();
  const owner = (threshold: string, addresses: readonly Buffer[]) =>
    ownerOf(
      { locktime: "0", threshold: Number(threshold), addresses: addresses.map((one) => one.toString("hex")) },
      network.hrp,
    );
  for (const row of rows) {
    const id = formatId(row.validation_id.toString("hex"));
    const answer = (await nullIfAbsent(node.ask(PATHS.P, "platform.getL1Validator", { validationID: id }))) as
      | (Record<string, string> & Record<"remainingBalanceOwner" | "deactivationOwner", OwnerAnswer>)
      | null;
    if (answer)
      fromNode.set(
        id,
        textOf([
          answer["nodeID"],
          answer["subnetID"],
          answer["weight"],
          answer["startTime"],
          answer["minNonce"],
          answer["balance"],
          answer["publicKey"],
          ownerIn(answer.remainingBalanceOwner),
          ownerIn(answer.deactivationOwner),
        ]),
      );
    if (!row.is_removed)
      indexed.set(
        id,
        textOf([
          formatNodeId(row.node_id.toString("hex")),
          formatId(row.subnet_id.toString("hex")),
          row.weight,
          row.creation_timestamp,
          row.min_nonce,
          row.balance,
          `0x${row.bls_public_key.toString("hex")}`,
          owner(row.remaining_balance_owner_threshold, row.remaining_balance_owner_addresses),
          owner(row.deactivation_owner_threshold, row.deactivation_owner_addresses),
        ]),
      );
  }
  return differencesBetween("L1 validator", indexed, fromNode);
}
