import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { type BloomFilter, decodeBloomFilter, encodeBloomFilter } from "./bloom-filter.ts";
import { delimited, readFields, varint } from "./fields.ts";

/** Name and version that a node tells its peers. */
export interface ClientVersion {
  readonly name: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** `p2p.Handshake` of avalanchego. Times are Unix seconds. */
export interface Handshake {
  readonly networkId: number;
  readonly timeSeconds: bigint;
  /** 4 or 16 bytes. */
  readonly ip: Uint8Array;
  readonly port: number;
  readonly upgradeTimeSeconds: bigint;
  readonly signingTimeSeconds: bigint;
  /** Signature of the address by the key of the certificate. */
  readonly addressSignature: Uint8Array;
  readonly trackedSubnets: readonly Uint8Array[];
  /** Null if the peer sent none. */
  readonly client: ClientVersion | null;
  /** Null if the peer sent none. */
  readonly knownPeers: BloomFilter | null;
  /** Signature of the address by the BLS key, with the tag of proofs of possession. */
  readonly blsSignature: Uint8Array;
  readonly allSubnets: boolean;
}

/** Fields are written in the order of their numbers; zero, false and empty fields are left out, as Go's protobuf does. */
export function encodeHandshake(handshake: Handshake): Uint8Array {
  const writer = new BinaryWriter();
  const writeUint32 = (field: number, value: number) => value && writer.uint32(varint(field)).uint32(value);
  const writeUint64 = (field: number, value: bigint) => value && writer.uint32(varint(field)).uint64(value);
  const writeBytes = (field: number, value: Uint8Array) => value.length && writer.uint32(delimited(field)).bytes(value);
  writeUint32(1, handshake.networkId);
  writeUint64(2, handshake.timeSeconds);
  writeBytes(3, handshake.ip);
  writeUint32(4, handshake.port);
  writeUint64(5, handshake.upgradeTimeSeconds);
  writeUint64(6, handshake.signingTimeSeconds);
  writeBytes(7, handshake.addressSignature);
  for (const subnet of handshake.trackedSubnets) writer.uint32(delimited(8)).bytes(subnet);
  if (handshake.client) writer.uint32(delimited(9)).bytes(encodeClient(handshake.client));
  if (handshake.knownPeers) writer.uint32(delimited(12)).bytes(encodeBloomFilter(handshake.knownPeers));
  writeBytes(13, handshake.blsSignature);
  if (handshake.allSubnets) writer.uint32(varint(14)).bool(true);
  return writer.finish();
}

function encodeClient({ name, major, minor, patch }: ClientVersion): Uint8Array {
  const writer = new BinaryWriter();
  if (name) writer.uint32(delimited(1)).string(name);
  for (const [index, part] of [major, minor, patch].entries()) if (part) writer.uint32(varint(index + 2)).uint32(part);
  return writer.finish();
}

export function decodeHandshake(bytes: Uint8Array): Handshake {
  const none = Buffer.alloc(0);
  const trackedSubnets: Uint8Array[] = [];
  const handshake = {
    networkId: 0,
    timeSeconds: 0n,
    ip: none as Uint8Array,
    port: 0,
    upgradeTimeSeconds: 0n,
    signingTimeSeconds: 0n,
    addressSignature: none as Uint8Array,
    trackedSubnets,
    client: null as ClientVersion | null,
    knownPeers: null as BloomFilter | null,
    blsSignature: none as Uint8Array,
    allSubnets: false,
  };
  readFields(bytes, {
    [varint(1)]: (reader) => {
      handshake.networkId = reader.uint32();
    },
    [varint(2)]: (reader) => {
      handshake.timeSeconds = BigInt(reader.uint64());
    },
    [delimited(3)]: (reader) => {
      handshake.ip = reader.bytes();
    },
    [varint(4)]: (reader) => {
      handshake.port = reader.uint32();
    },
    [varint(5)]: (reader) => {
      handshake.upgradeTimeSeconds = BigInt(reader.uint64());
    },
    [varint(6)]: (reader) => {
      handshake.signingTimeSeconds = BigInt(reader.uint64());
    },
    [delimited(7)]: (reader) => {
      handshake.addressSignature = reader.bytes();
    },
    [delimited(8)]: (reader) => {
      trackedSubnets.push(reader.bytes());
    },
    [delimited(9)]: (reader) => {
      handshake.client = decodeClient(reader.bytes());
    },
    [delimited(12)]: (reader) => {
      handshake.knownPeers = decodeBloomFilter(reader.bytes());
    },
    [delimited(13)]: (reader) => {
      handshake.blsSignature = reader.bytes();
    },
    [varint(14)]: (reader) => {
      handshake.allSubnets = reader.bool();
    },
  });
  return handshake;
}

function decodeClient(bytes: Uint8Array): ClientVersion {
  const client = { name: "", major: 0, minor: 0, patch: 0 };
  readFields(bytes, {
    [delimited(1)]: (reader) => {
      client.name = reader.string();
    },
    [varint(2)]: (reader) => {
      client.major = reader.uint32();
    },
    [varint(3)]: (reader) => {
      client.minor = reader.uint32();
    },
    [varint(4)]: (reader) => {
      client.patch = reader.uint32();
    },
  });
  return client;
}
