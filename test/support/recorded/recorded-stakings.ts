import { createHash } from "node:crypto";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { formatId, parseIdText } from "../../../core/formats/id-text.ts";
import { decodeUtxo } from "../../../indexer/primary/decode/outputs.ts";
import { parseCheckedHex } from "../../../indexer/primary/fetch/checked-hex.ts";
import { factsOf, parseExactly, resultsIn } from "./primary-vectors.ts";

/** A reward output of a stake, from the node. */
export interface RecordedReward {
  readonly utxoId: string;
  readonly outputIndex: number;
  readonly rewardType: "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";
  readonly assetId: string;
  readonly amount: string;
  /** Without chain prefix. */
  readonly addresses: readonly string[];
}

/** A staking transaction in the node's JSON, with the node's answers about its end. Ids and amounts are text. */
export interface RecordedStaking {
  readonly txHash: string;
  readonly kind: "VALIDATOR" | "DELEGATOR";
  readonly nodeId: string;
  readonly subnetId: string;
  readonly weight: string;
  readonly end: number;
  readonly isPermissioned: boolean;
  /** The delegation fee of a validator, in millionths. */
  readonly shares: number | null;
  readonly blsPublicKey: string | null;
  /** Owners of its own reward, then of its share of delegators' rewards, each once. */
  readonly owners: readonly string[];
  /** The transaction that decided on its reward; null before its end, and without a reward. */
  readonly rewardTxHash: string | null;
  readonly isCommitted: boolean;
  /** The transaction that removed it from its subnet before its end. */
  readonly removeTxHash: string | null;
  /** By output index. */
  readonly rewards: readonly RecordedReward[];
}

interface Owner {
  readonly addresses: readonly string[];
}

interface UnsignedTx {
  readonly txID?: string;
  /** The node that a RemoveSubnetValidatorTx removes. */
  readonly nodeID?: string;
  readonly outputs?: readonly unknown[];
  readonly stake?: readonly unknown[];
  readonly validator?: { nodeID: string; end: string; weight: string; subnetID?: string };
  readonly subnetID?: string;
  readonly signer?: { publicKey?: string };
  readonly shares?: string;
  readonly rewardsOwner?: Owner;
  readonly validationRewardsOwner?: Owner;
  readonly delegationRewardsOwner?: Owner;
}

const PRIMARY = "11111111111111111111111111111111LpoYY";
const FILES = ["p-genesis-txs", "p-txs"];

/** Every effective staking transaction of a recording, in the order of the recording. */
export function recordedStakings(folder: string): RecordedStaking[] {
  const txs = new Map<string, UnsignedTx>();
  const of = (method: string) => FILES.flatMap((file) => resultsIn(folder, file, method));
  for (const { params, text } of of("platform.getTx"))
    if (params["encoding"] === "json") {
      const { tx } = parseExactly(text) as { tx: { unsignedTx: UnsignedTx } };
      txs.set(String(params["txID"]), tx.unsignedTx);
    }
  const statuses = new Map(
    of("platform.getTxStatus").map(({ params, text }) => [
      params["txID"],
      (JSON.parse(text) as { status: string }).status,
    ]),
  );
  const decisions = new Map([...txs].flatMap(([id, { txID }]) => (txID === undefined ? [] : [[txID, id] as const])));
  const removals = removalsIn(txs);
  const outputs = new Map(of("platform.getRewardUTXOs").map(({ params, text }) => [params["txID"], text]));
  return [...txs].flatMap(([txHash, tx]) => {
    if (!tx.validator || statuses.get(txHash) === "Aborted") return [];
    const rewardTxHash = decisions.get(txHash) ?? null;
    const isCommitted = statuses.get(rewardTxHash) === "Committed";
    const removeTxHash = removals.get(txHash) ?? null;
    return [staking(folder, txHash, tx, { rewardTxHash, isCommitted, removeTxHash, outputs: outputs.get(txHash) })];
  });
}

/** Removals by the validation that they ended: the node's last one on the subnet before. */
function removalsIn(txs: ReadonlyMap<string, UnsignedTx>): Map<string, string> {
  const last = new Map<string, string>();
  const removals = new Map<string, string>();
  for (const [txHash, { validator, nodeID, subnetID }] of txs) {
    if (validator?.subnetID) last.set(`${validator.nodeID} ${validator.subnetID}`, txHash);
    const removed = nodeID && last.get(`${nodeID} ${subnetID}`);
    if (removed) removals.set(removed, txHash);
  }
  return removals;
}

interface End {
  readonly rewardTxHash: string | null;
  readonly isCommitted: boolean;
  readonly removeTxHash: string | null;
  readonly outputs: string | undefined;
}

function staking(folder: string, txHash: string, tx: UnsignedTx, end: End): RecordedStaking {
  const { nodeID, weight, subnetID } = tx.validator as NonNullable<UnsignedTx["validator"]>;
  const isPermissioned = subnetID !== undefined;
  const kind = isPermissioned || tx.shares !== undefined ? "VALIDATOR" : "DELEGATOR";
  const owners = [tx.validationRewardsOwner ?? tx.rewardsOwner, tx.delegationRewardsOwner];
  const addresses = owners.flatMap((owner) => owner?.addresses ?? []).map((address) => address.slice(2));
  return {
    txHash,
    kind,
    nodeId: nodeID,
    weight,
    isPermissioned,
    subnetId: subnetID ?? tx.subnetID ?? PRIMARY,
    end: Number(tx.validator?.end),
    shares: tx.shares === undefined ? null : Number(tx.shares),
    blsPublicKey: tx.signer?.publicKey ?? null,
    owners: [...new Set(addresses)],
    rewardTxHash: end.rewardTxHash,
    isCommitted: end.isCommitted,
    removeTxHash: end.removeTxHash,
    rewards: rewardsOf(folder, txHash, tx, end),
  };
}

function rewardsOf(folder: string, txHash: string, tx: UnsignedTx, { isCommitted, outputs }: End): RecordedReward[] {
  const { hrp: prefix } = factsOf(folder);
  const { utxos } = JSON.parse(outputs ?? '{"utxos":[]}') as { utxos: string[] };
  const first = (tx.outputs?.length ?? 0) + (tx.stake?.length ?? 0);
  const own = tx.shares === undefined ? "DELEGATOR" : "VALIDATOR";
  const owner = String((tx.validationRewardsOwner ?? tx.rewardsOwner)?.addresses.map((address) => address.slice(2)));
  return utxos
    .map((hex) => decodeUtxo(parseCheckedHex(hex, "output")))
    .map(({ txId, outputIndex, assetId, output }): RecordedReward => {
      if (formatId(txId) !== txHash || !("amount" in output)) throw new Error(`an odd reward of ${txHash}`);
      const owners = "addresses" in output ? output.addresses : [];
      const addresses = owners.map((address) => formatAddress({ chain: null, prefix, address }));
      return {
        utxoId: utxoIdOf(txHash, outputIndex),
        outputIndex,
        // A delegator whose validator has a fee of 100 % has no own output.
        rewardType: isCommitted && outputIndex === first && String(addresses) === owner ? own : "VALIDATOR_FEE",
        assetId: formatId(assetId),
        amount: String(output.amount),
        addresses,
      };
    })
    .sort((one, other) => one.outputIndex - other.outputIndex);
}

function utxoIdOf(txHash: string, outputIndex: number): string {
  const index = Buffer.alloc(8);
  index.writeBigUInt64BE(BigInt(outputIndex));
  const bytes = Buffer.concat([index, Buffer.from(parseIdText(txHash) ?? "", "hex")]);
  return formatId(createHash("sha256").update(bytes).digest("hex"));
}

/**
 * The validation of a delegation: the first of its node on its subnet that does not end before it.
 */
export function validationOf(
  stakings: readonly RecordedStaking[],
  { nodeId, subnetId, end }: RecordedStaking,
): RecordedStaking | undefined {
  return stakings
    .filter((one) => one.kind === "VALIDATOR" && one.nodeId === nodeId && one.subnetId === subnetId && one.end >= end)
    .toSorted((one, other) => one.end - other.end)[0];
}
