import { sha256 } from "../../../core/codec/bytes/hashes.ts";
import type { Allocation, GenesisFile } from "./genesis-file.ts";
import { compare } from "./stake.ts";
import { writeBase, writeOutput } from "./write-output.ts";
import { createWriter } from "./writer.ts";

/** What a signed transaction has before and after the asset: codec version and type id, and no credentials. */
const [BEFORE, AFTER] = [Buffer.from([0, 0, 0, 0, 0, 1]), Buffer.alloc(4)];

/** Genesis data of the X-Chain: one asset, AVAX, held by those who have an initial amount. */
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
 * Equals keep the order of the file. So they do in a node that has up to 12 holders; with more its sort, which is not stable, may
 * turn those round that have amount and address in common but not `ethAddr`. Then the id is not that of its genesis.
 */
function compareHolders(one: Allocation, other: Allocation): number {
  return compare(one.initialAmount, other.initialAmount) || compare(one.avaxAddr, other.avaxAddr);
}
