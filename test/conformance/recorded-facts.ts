import { getAddress } from "viem";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import type { FactRow } from "../support/oracle/fact-row.ts";
import { expectedFacts, type Facts } from "../support/oracle/facts-oracle.ts";
import { type CountedBlock, countedBlocks } from "../support/oracle/metrics-oracle.ts";
import { recordedChain } from "../support/recorded/node-chain.ts";
import { type RecordedAction, recordedActions } from "../support/recorded/recorded-actions.ts";

export interface RecordedFacts extends Facts {
  readonly chainId: number;
  /** What metrics count, of each block after the genesis block. */
  readonly counted: readonly CountedBlock[];
  /** The last action with each label on the chain. */
  readonly actions: ReadonlyMap<string, RecordedAction>;
}

/** Facts of both recorded EVM chains by EVM chain id, from code that is independent of Moraine's. */
export function recordedFacts(): ReadonlyMap<number, RecordedFacts> {
  known ??= read();
  return known;
}

let known: ReadonlyMap<number, RecordedFacts> | undefined;

function read(): ReadonlyMap<number, RecordedFacts> {
  const recording = openRecording(ALPHA);
  return new Map(
    (["c", "l1"] as const).map((name) => {
      const chain = recordedChain(recording, name);
      const actions = new Map(recordedActions(name).map((action) => [action.label, action]));
      const facts = expectedFacts(chain, chain.blocks);
      const counted = countedBlocks(chain.blocks, facts);
      return [chain.chainId, { ...facts, chainId: chain.chainId, counted, actions }];
    }),
  );
}

/** Facts of one chain. */
export function factsOf(chainId: number): RecordedFacts {
  const facts = recordedFacts().get(chainId);
  if (!facts) throw new Error(`chain ${chainId} is not recorded`);
  return facts;
}

/** A row's address in the form of answers; null is the zero address. */
export const shownAddress = (address: string | null | undefined): string =>
  getAddress(address ?? `0x${"0".repeat(40)}`);

/** A row of a call in the form of E6, with addresses instead of descriptors. */
export function shownInternal(row: FactRow) {
  return {
    from: shownAddress(row["from_address"]),
    to: shownAddress(row["to_address"]),
    internalTxType: row["internal_tx_type"],
    value: row["value"],
    isReverted: row["is_reverted"] === "true",
    gasUsed: row["gas_used"],
    gasLimit: row["gas_limit"],
  };
}

/** The calls that E6 and E10 list: calls with value and creations, not self-destructs. In chain order. */
export function listedInternals({ evm_internal_transactions }: Facts): readonly FactRow[] {
  return evm_internal_transactions.filter((row) => row["internal_tx_type"] !== "UNKNOWN");
}
