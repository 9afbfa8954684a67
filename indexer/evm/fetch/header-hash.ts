import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { keccak256 } from "../../../core/formats/keccak.ts";
import type { WireBlock } from "../wire/blocks.ts";
import { bytes, isAbsent, quantity } from "../wire/values.ts";
import { bytesOfNumber, rlp } from "./trie-root.ts";

/** How a member of a header is encoded: as its bytes, or as a number without leading zeros. */
type Encoding = "bytes" | "number";

/** The members that every header has, in their order. */
const COMMON: readonly (readonly [name: string, encoding: Encoding])[] = [
  ["parentHash", "bytes"],
  ["sha3Uncles", "bytes"],
  ["miner", "bytes"],
  ["stateRoot", "bytes"],
  ["transactionsRoot", "bytes"],
  ["receiptsRoot", "bytes"],
  ["logsBloom", "bytes"],
  ["difficulty", "number"],
  ["number", "number"],
  ["gasLimit", "number"],
  ["gasUsed", "number"],
  ["timestamp", "number"],
  ["extraData", "bytes"],
  ["mixHash", "bytes"],
  ["nonce", "bytes"],
];

/** The members that only some headers have, in their order. Those of coreth, subnet-evm and go-ethereum do not contradict each other. */
const OPTIONAL: typeof COMMON = [
  ["extDataHash", "bytes"],
  ["baseFeePerGas", "number"],
  ["withdrawalsRoot", "bytes"],
  ["extDataGasUsed", "number"],
  ["blockGasCost", "number"],
  ["blobGasUsed", "number"],
  ["excessBlobGas", "number"],
  ["parentBeaconBlockRoot", "bytes"],
  ["requestsHash", "bytes"],
  ["timestampMilliseconds", "number"],
  ["minDelayExcess", "number"],
  ["targetExponent", "number"],
  ["minPriceExponent", "number"],
  ["settledHeight", "number"],
  ["settledGasUnix", "number"],
  ["settledGasNumerator", "number"],
  ["settledExcess", "number"],
];

/**
 * Checks that the hash of a block is that of its header: of all members that its node returned, in the order of coreth, subnet-evm or
 * go-ethereum. Throws `BadUpstreamData`.
 */
export function verifyHeaderHash(block: WireBlock): void {
  const where = `block ${Number(block.number)}`;
  const computed = headerHash(block, where);
  if (computed === block.hash) return;
  throw new BadUpstreamData(
    `the hash of ${where}, computed from its header, is ${computed}, but the block says ${block.hash}`,
  );
}

/** Keccak-256 of the RLP of a header, in hex with `0x`. */
function headerHash(block: WireBlock, where: string): string {
  const header = block as unknown as Readonly<Record<string, unknown>>;
  const optional = OPTIONAL.filter(([name]) => !isAbsent(header[name]));
  const values = [...COMMON, ...optional].map(([name, encoding]) =>
    encoding === "bytes"
      ? Buffer.from(bytes(header[name], `${name} of ${where}`), "hex")
      : bytesOfNumber(quantity(header[name], `${name} of ${where}`)),
  );
  return `0x${Buffer.from(keccak256(rlp(values))).toString("hex")}`;
}
