import type { NodeFrame } from "../recorded/node-chain.ts";
import { decimal, type FactRow, type Place } from "./fact-row.ts";

/** A frame with its position and state in the call tree. */
interface Walked {
  readonly frame: NodeFrame;
  /** Position in the tree, depth first; the root is 0. */
  readonly index: number;
  /** It or a frame around it was reverted. */
  readonly isUndone: boolean;
}

/** The internal transactions, failures and deployments in a transaction's tree. */
export function expectedCalls(place: Place, root: NodeFrame) {
  const { block_timestamp, block_hash, ...short } = place;
  const walked = walk(root);
  const kept = keeper();
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
        input: kept(frame.input),
        output: kept(frame.output),
      };
    });
  const evm_deployments = walked
    .filter(({ frame, isUndone }) => isCreation(frame) && !isUndone && (frame.output ?? "0x") !== "0x")
    .map(({ frame, index }): FactRow => {
      const { to, from, type } = frame;
      const implementation_address = minimalProxyOf(frame.output);
      const created = { address: to ?? null, creator_address: from, opcode: type, implementation_address };
      return { ...short, ...created, trace_index: String(index) };
    });
  const { tx_hash: _, ...atIndex } = short;
  const { error, output = null } = root;
  const evm_failures = error === undefined ? [] : [{ ...atIndex, error, output }];
  return { evm_internal_transactions, evm_failures, evm_deployments };
}

/** Keeps data up to 8,192 bytes, and 65,536 bytes of a transaction. */
function keeper() {
  let left = 65_536;
  return (data = "0x"): string | null => {
    const bytes = data.length / 2 - 1;
    if (bytes > 8_192 || bytes > left) return null;
    left -= bytes;
    return data;
  };
}

/** EIP-1167. */
function minimalProxyOf(code = ""): string | null {
  const [before, after] = ["0x363d3d373d3d3d363d73", "5af43d82803e903d91602b57fd5bf3"];
  const isProxy = code.length === 2 + 2 * 45 && code.startsWith(before) && code.endsWith(after);
  return isProxy ? `0x${code.slice(before.length, before.length + 40)}` : null;
}

const isCreation = ({ type }: NodeFrame): boolean => type === "CREATE" || type === "CREATE2";

function isInternal(frame: NodeFrame): boolean {
  const moves = ["CALL", "CALLCODE", "SELFDESTRUCT"].includes(frame.type) && BigInt(frame.value ?? "0x0") > 0n;
  return isCreation(frame) || moves;
}

/** Iterates instead of recursing: a tree may be a thousand frames deep. */
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
