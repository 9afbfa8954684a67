import type { NodeFrame } from "../recorded/node-chain.ts";
import { decimal, type FactRow, type Place } from "./fact-row.ts";

/** A frame with its position in the call tree. */
interface Walked {
  readonly frame: NodeFrame;
  /** Position in the tree, depth first; the root is 0. */
  readonly index: number;
  /** True if the frame or an enclosing frame was reverted. */
  readonly isUndone: boolean;
}

/** The internal transactions and deployments in a transaction's tree. */
export function expectedCalls(place: Place, root: NodeFrame) {
  const { block_timestamp, block_hash, ...short } = place;
  const walked = walk(root);
  const evm_internal_transactions = walked
    .slice(1)
    .filter(({ frame }) => isInternal(frame))
    .map(({ frame, index, isUndone }): FactRow => {
      const type = frame.type === "SELFDESTRUCT" ? "UNKNOWN" : frame.type;
      return {
        ...short,
        block_timestamp,
        block_hash,
        trace_index: String(index),
        internal_tx_type: type,
        opcode: frame.type,
        from_address: frame.from,
        to_address: frame.to ?? null,
        value: decimal(frame.value),
        is_reverted: String(isUndone),
        gas_used: decimal(frame.gasUsed),
        gas_limit: decimal(frame.gas),
      };
    });
  const evm_deployments = walked
    .filter(({ frame, isUndone }) => isCreation(frame) && !isUndone && (frame.output ?? "0x") !== "0x")
    .map(({ frame, index }): FactRow => {
      const { to, from, type } = frame;
      return { ...short, address: to ?? null, trace_index: String(index), creator_address: from, opcode: type };
    });
  return { evm_internal_transactions, evm_deployments };
}

const isCreation = ({ type }: NodeFrame): boolean => type === "CREATE" || type === "CREATE2";

function isInternal(frame: NodeFrame): boolean {
  const moves = ["CALL", "CALLCODE", "SELFDESTRUCT"].includes(frame.type) && BigInt(frame.value ?? "0x0") > 0n;
  return isCreation(frame) || moves;
}

/** Without recursion: a tree may be a thousand frames deep. */
function walk(root: NodeFrame): Walked[] {
  const walked: Walked[] = [];
  const waiting: { readonly frame: NodeFrame; readonly isAroundUndone: boolean }[] = [
    { frame: root, isAroundUndone: false },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const isUndone = next.isAroundUndone || next.frame.error !== undefined;
    walked.push({ frame: next.frame, index: walked.length, isUndone });
    for (const frame of [...(next.frame.calls ?? [])].reverse()) waiting.push({ frame, isAroundUndone: isUndone });
  }
  return walked;
}
