import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type BloomFilter, encodeBloomFilter } from "./bloom-filter.ts";
import { delimited, readFields, varint } from "./fields.ts";

/** An address that a node claims and has signed (avalanchego: `p2p.ClaimedIpPort`). Nothing of it is verified here. */
export interface ClaimedAddress {
  readonly certificate: Uint8Array;
  readonly ip: Uint8Array;
  readonly port: number;
  readonly timeSeconds: bigint;
  readonly signature: Uint8Array;
}

export function decodePeerList(bytes: Uint8Array): ClaimedAddress[] {
  const claims: ClaimedAddress[] = [];
  readFields(bytes, { [delimited(1)]: (reader) => claims.push(decodeClaim(reader.bytes())) });
  return claims;
}

function decodeClaim(bytes: Uint8Array): ClaimedAddress {
  const none: Uint8Array = Buffer.alloc(0);
  const claim = { certificate: none, ip: none, port: 0, timeSeconds: 0n, signature: none };
  readFields(bytes, {
    [delimited(1)]: (reader) => {
      claim.certificate = reader.bytes();
    },
    [delimited(2)]: (reader) => {
      claim.ip = reader.bytes();
    },
    [varint(3)]: (reader) => {
      claim.port = reader.uint32();
    },
    [varint(4)]: (reader) => {
      claim.timeSeconds = BigInt(reader.uint64());
    },
    [delimited(5)]: (reader) => {
      claim.signature = reader.bytes();
    },
  });
  return claim;
}

/** Asks for addresses that are not in the filter. */
export function encodeGetPeerList(knownPeers: BloomFilter): Uint8Array {
  return new BinaryWriter()
    .uint32(delimited(1))
    .bytes(encodeBloomFilter(knownPeers))
    .uint32(varint(2))
    .bool(true)
    .finish();
}
