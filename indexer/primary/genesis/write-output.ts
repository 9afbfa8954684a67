import type { Unlock } from "./genesis-file.ts";
import type { Writer } from "./writer.ts";

const TRANSFER_OUTPUT = 7;
const OUTPUT_OWNERS = 11;
const LOCK_OUT = 22;

/** Writes an output of one owner, with its type id. */
export function writeOutput(writer: Writer, amount: bigint, address: string): void {
  writer.u32(TRANSFER_OUTPUT).u64(amount);
  writeSoleOwner(writer, address);
}

/** Like `writeOutput`, with a lock until `locktime` if that is after the network's start. */
export function writeLockedOutput(
  writer: Writer,
  startTime: number,
  { amount, locktime }: Unlock,
  address: string,
): void {
  if (locktime > startTime) writer.u32(LOCK_OUT).u64(locktime);
  writeOutput(writer, amount, address);
}

/** Writes an owner with one address, with its type id. */
export function writeOwner(writer: Writer, address: string): void {
  writeSoleOwner(writer.u32(OUTPUT_OWNERS), address);
}

/** Writes lock time 0, threshold 1 and one address. */
function writeSoleOwner(writer: Writer, address: string): void {
  writer.u64(0).u32(1).u32(1).hex(address);
}

/** Writes the base of a genesis transaction: no chain, no outputs, no inputs. */
export function writeBase(writer: Writer, networkId: number, memo: Uint8Array = new Uint8Array()): void {
  writer.u32(networkId).raw(NO_ID).u32(0).u32(0).blob(memo);
}

/** 32 zero bytes: the id of the P-Chain and the primary network, or of no transaction. */
export const NO_ID: Uint8Array = new Uint8Array(32);
