import { sha256 } from "../../../core/formats/codec/bytes/hashes.ts";
import type { Allocation, GenesisFile } from "./genesis-file.ts";
import { compare } from "./stake.ts";
import { writeBase, writeOutput } from "./write-output.ts";
import { createWriter } from "./writer.ts";

/** The bytes around the asset in a signed transaction: codec version and type id before it, an empty list of credentials after it. */
const BEFORE = Buffer.from([0, 0, 0, 0, 0, 1]);
const AFTER = Buffer.alloc(4);

/** Builds the genesis data of the X-Chain: the asset AVAX with the initial amounts of the allocations. */
export function buildXGenesis({ networkId, allocations }: GenesisFile): { data: Buffer; avaxAssetId: string } {
  const holders = allocations.filter(({ initialAmount }) => initialAmount > 0n).sort(compareHolders);
  const writer = createWriter().u16(0).u32(1).text("AVAX");
  const start = writer.at;
  writeBase(writer, networkId, Buffer.from(holders.map(({ ethAddr }) => ethAddr).join(""), "hex"));
  writer.text("Avalanche").text("AVAX").u8(9);
  writer.list(holders.length > 0 ? [holders] : [], (outputs) => {
    writer.u32(0).list(outputs, ({ initialAmount, avaxAddr }) => writeOutput(writer, initialAmount, avaxAddr));
  });
  return { data: writer.finish(), avaxAssetId: sha256(Buffer.concat([BEFORE, writer.since(start), AFTER])) };
}

/**
 * Equal holders keep the order of the file. A node may change their order if it sorts more than 12 holders: if two of them have
 * the same amount and address but another `ethAddr`, their order, and so the genesis id, may differ from the node's.
 */
function compareHolders(one: Allocation, other: Allocation): number {
  return compare(one.initialAmount, other.initialAmount) || compare(one.avaxAddr, other.avaxAddr);
}
