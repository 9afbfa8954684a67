import { ALPHA } from "../../recordings/replay-node.ts";
import {
  currentValidators,
  type NodeL1Validator,
  type NodeOwner,
  type NodeStaker,
} from "../support/recorded/node-stakers.ts";
import { readSnapshots, type Snapshot } from "../support/recorded/primary-recording.ts";
import { type RecordedStaking, recordedStakings, validationOf } from "../support/recorded/recorded-stakings.ts";
import type { Api } from "./api.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers, held against the contract before they are read
export type Item = Readonly<Record<string, any>>;

/** Two nodes; the first has many validations with delegations, and the last one is active. */
export const NODE = "NodeID-8KqHjdHzhCssqQutnc3SKcadkoKeoi8am";
export const OTHER_NODE = "NodeID-Dirf99WSfeTijWV5W2sCYAbonLagfmKtN";
/** A node ID that no node has. */
export const STRANGER = "NodeID-111111111111111111116DBWJs";

/** Every item of a list, read with the largest page size. */
export async function allOf(api: Api, path: string, items: string, query = ""): Promise<Item[]> {
  const found: Item[] = [];
  for (let token = ""; ; ) {
    const page = await api.body<Item>(`${path}?pageSize=100${query}${token}`);
    found.push(...(page[items] as Item[]));
    if (!page["nextPageToken"]) return found;
    token = `&pageToken=${page["nextPageToken"]}`;
  }
}

/** A recorded stake with its position in the chain. A stake of the genesis has none. */
export interface PlacedStaking extends RecordedStaking {
  readonly start: number;
  /** Position among all transactions of the chain. */
  readonly place: number;
  /** The validation of a delegation. */
  readonly validation: RecordedStaking | null;
}

let known: { readonly stakings: readonly PlacedStaking[]; readonly last: Snapshot } | undefined;

/** All stakes in chain order, with the node's final state. */
export function recorded(api: Api): NonNullable<typeof known> {
  known ??= { stakings: placed(api), last: readSnapshots(ALPHA).at(-1) as Snapshot };
  return known;
}

function placed(api: Api): PlacedStaking[] {
  const stakings = recordedStakings(ALPHA);
  const places = new Map(api.primary.P.map(({ txHash, blockTimestamp }, at) => [txHash, { at, blockTimestamp }]));
  const starts = new Map(
    runningOf(readSnapshots(ALPHA)[0] as Snapshot).map((one) => [one.txID, Number(one.startTime)]),
  );
  return stakings
    .map((one) => {
      const place = places.get(one.txHash);
      return {
        ...one,
        place: place?.at ?? -1,
        start: place?.blockTimestamp ?? starts.get(one.txHash) ?? 0,
        validation: one.kind === "DELEGATOR" ? (validationOf(stakings, one) ?? null) : null,
      };
    })
    .toSorted((one, other) => one.place - other.place);
}

function runningOf(snapshot: Snapshot): NodeStaker[] {
  return currentValidators(snapshot).flatMap(({ answer }) => answer.stakers);
}

/** Validations and delegations that are active at the node in the end, by transaction. */
export function running(api: Api): ReadonlyMap<string, NodeStaker> {
  const stakers = runningOf(recorded(api).last);
  const all = stakers.flatMap((one) => [one, ...(one.delegators ?? [])]);
  return new Map(all.map((one) => [one.txID ?? "", one]));
}

/** The node's L1 validators in the end, with subnet, and balance from `platform.getL1Validator`. */
export function l1Validators(api: Api): (NodeL1Validator & { readonly subnetID: string; readonly balance: string })[] {
  const answers = recorded(api).last.answers("platform.getL1Validator");
  return answers.map(({ result }) => result as NodeL1Validator & { subnetID: string; balance: string });
}

/** Status of a stake at the stack's clock. A validator without rewards ends at its end time. */
export function statusOf(api: Api, staking: RecordedStaking): "completed" | "active" | "removed" {
  if (staking.removeTxHash !== null) return "removed";
  const isOver = staking.rewardTxHash !== null || (staking.isPermissioned && staking.end <= api.nowSeconds);
  return isOver ? "completed" : "active";
}

/** Reward of one kind that was paid at the end of a stake. */
export const paid = ({ rewards }: RecordedStaking, kind: string): string =>
  rewards.find(({ rewardType }) => rewardType === kind)?.amount ?? "0";

/** An owner in the API's form, without its locktime. */
export const shownOwner = ({ threshold, addresses }: NodeOwner) => ({
  threshold: Number(threshold),
  addresses: addresses.map((address) => address.slice(2)),
});

/** Member names of an item. */
export const membersOf = (item: Item): string[] => Object.keys(item).sort();
