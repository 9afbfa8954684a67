import { createHash } from "node:crypto";
import { readConversations } from "../../../test/support/p2p/recorded-conversation.ts";
import { createRandomIntegers } from "../../../test/support/random.ts";
import { gossipId } from "../identity/gossip-id.ts";
import { nodeIdOf } from "../identity/node-certificate.ts";
import { encodeAppRequest, encodeSignatureRequest } from "./app-messages.ts";
import { type BloomFilter, createBloomFilter, isBloomFilterValid } from "./bloom-filter.ts";
import { decompress } from "./decompress.ts";
import { createFrameReader, encodeFrame, MAX_MESSAGE_BYTES } from "./frames.ts";
import { encodeHandshake } from "./handshake.ts";
import { decodeMessage, EMPTY_PEER_LIST, encodeMessage, type PeerMessage, PING, PONG } from "./messages.ts";
import { encodeGetPeerList } from "./peer-list.ts";

const conversations = readConversations();
const messages = conversations.flatMap((conversation) => conversation.messages);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
const bytesOf = (value: unknown) => Buffer.from(String(value ?? ""), "hex");

describe("frames", () => {
  const sent = [Buffer.alloc(0), Buffer.of(1), Buffer.alloc(70_000, 7), Buffer.of(2, 3)];
  const stream = Buffer.concat(sent.map(encodeFrame));

  it.each([1, 3, 4, 5, 4_096, stream.length])("arrive whole in pieces of %d bytes", (size) => {
    const reader = createFrameReader();
    const received: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size) received.push(...reader.read(stream.subarray(at, at + size)));
    expect(received.map(hex)).toEqual(sent.map(hex));
  });

  it("may have 2 MiB and no byte more", () => {
    const header = (length: number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(length);
      return bytes;
    };
    expect([...createFrameReader().read(header(MAX_MESSAGE_BYTES))]).toEqual([]);
    for (const length of [MAX_MESSAGE_BYTES + 1, 0x80000000, 0xffffffff])
      expect(() => [...createFrameReader().read(header(length))]).toThrow(
        `the node announced a message of ${length} bytes`,
      );
  });
});

describe("messages of a recorded node", () => {
  it("are read, compressed or not", () => {
    for (const { name, bytes, content, fields } of messages.filter(({ isOfNode }) => isOfNode)) {
      expect(summaryOf(decodeMessage(bytes))).toEqual(expectedOf(name, fields));
      expect(summaryOf(decodeMessage(content))).toEqual(expectedOf(name, fields));
    }
  });

  it("never break the reader when bytes of them are changed", () => {
    const random = createRandomIntegers(14);
    const recorded = messages.filter(({ isOfNode }) => isOfNode).map(({ bytes }) => bytes);
    for (let round = 0; round < 600; round++) {
      const changed = Buffer.from(recorded[round % recorded.length] ?? "");
      for (let count = 1 + (random() % 3); count > 0; count--) changed[random() % changed.length] = random() & 255;
      const cut = changed.subarray(0, random() % 2 ? changed.length : random() % changed.length);
      try {
        expect(decodeMessage(cut)).toHaveProperty("kind");
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    }
  });
});

function summaryOf(message: PeerMessage): unknown {
  if (message.kind === "handshake") {
    const { networkId, timeSeconds, ip, port, client, trackedSubnets, blsSignature, knownPeers } = message.handshake;
    const subnets = trackedSubnets.map(hex);
    const filter = hex(knownPeers?.filter ?? Buffer.alloc(0));
    return { networkId, time: `${timeSeconds}`, ip: hex(ip), port, client, subnets, bls: hex(blsSignature), filter };
  }
  if (message.kind === "peerList")
    return message.claims.map(({ ip, port, signature }) => [hex(ip), port, hex(signature)]);
  if (message.kind === "appResponse") return [message.response.requestId, hex(message.response.bytes)];
  if (message.kind === "appError") return [message.error.requestId, message.error.code, message.error.message];
  return message.kind;
}

// biome-ignore lint/suspicious/noExplicitAny: the recording's fields differ by message.
function expectedOf(name: string, fields: Record<string, any>): unknown {
  if (name === "handshake") {
    const { network_id: networkId, my_time: time, ip_addr: ip, ip_port: port, client, ip_bls_sig: bls } = fields;
    const subnets = fields["tracked_subnets"] ?? [];
    return { networkId, time, ip, port, client, subnets, bls, filter: fields["known_peers"].filter };
  }
  if (name === "peer_list") {
    const claims: { ip_addr: string; ip_port: number; signature: string }[] = fields["claimed_ip_ports"] ?? [];
    return claims.map(({ ip_addr, ip_port, signature }) => [ip_addr, ip_port, signature]);
  }
  if (name === "app_response") return [fields["request_id"], fields["app_bytes"]];
  if (name === "app_error") return [fields["request_id"], fields["error_code"], fields["error_message"]];
  return name;
}

describe("messages of a recorded client", () => {
  it("are written byte by byte", () => {
    const written = messages
      .filter(({ isOfNode }) => !isOfNode)
      .map(({ name, content, fields, app }) => {
        const filter = fields["known_peers"] as { filter: string; salt: string } | undefined;
        const knownPeers = { filter: bytesOf(filter?.filter), salt: bytesOf(filter?.salt) };
        if (name === "ping") return PING;
        if (name === "pong") return PONG;
        if (name === "peer_list") return EMPTY_PEER_LIST;
        if (name === "get_peer_list") return encodeMessage("getPeerList", encodeGetPeerList(knownPeers));
        if (name === "handshake") {
          const message = decodeMessage(content);
          return message.kind === "handshake" ? encodeMessage("handshake", encodeHandshake(message.handshake)) : PING;
        }
        const bytes = encodeSignatureRequest(bytesOf(app.message), bytesOf(app.justification));
        const [chainId, requestId] = [bytesOf(fields["chain_id"]), Number(fields["request_id"])];
        // One recorded request is for a handler that does not exist.
        const appBytes = app.handlerPrefix === "02" ? bytes : bytesOf(fields["app_bytes"]);
        return encodeMessage(
          "appRequest",
          encodeAppRequest({ chainId, requestId, deadlineMs: 5_000, bytes: appBytes }),
        );
      });
    expect(written.map(hex)).toEqual(messages.filter(({ isOfNode }) => !isOfNode).map(({ content }) => hex(content)));
    expect(written.length).toBeGreaterThan(20);
  });

  it.each([
    [0, "c0843d"],
    [0.4, "c0843d"],
    [1, "c0843d"],
    [Number.MAX_SAFE_INTEGER, "80c0e285e368"],
  ])("keep a deadline of %d ms in the range that nodes answer", (deadlineMs, varint) => {
    const request = { chainId: Buffer.alloc(32), requestId: 1, deadlineMs, bytes: Buffer.alloc(0) };
    expect(hex(encodeAppRequest(request)).slice(2 * 36, -4)).toBe(`18${varint}`);
  });
});

describe("decompression", () => {
  const header = (descriptor: number, ...rest: number[]) => Buffer.of(0x28, 0xb5, 0x2f, 0xfd, descriptor, ...rest);
  /** A block of one byte that is repeated. */
  const repeated = (count: number, isLast: boolean) =>
    Buffer.of(((count << 3) & 255) | 2 | (isLast ? 1 : 0), (count >> 5) & 255, (count >> 13) & 255, 7);
  const window2MiB = header(0, 0x58);

  it("gives content of up to 2 MiB", () => {
    const blocks = Array.from({ length: 16 }, (_, index) => repeated(128 * 1_024, index === 15));
    expect(decompress(Buffer.concat([window2MiB, ...blocks]))).toHaveLength(MAX_MESSAGE_BYTES);
  });

  it.each([
    [
      "blocks above the limit",
      Buffer.concat([window2MiB, ...Array(16).fill(repeated(131_072, false)), repeated(1, true)]),
    ],
    ["a content size above the limit", Buffer.concat([header(0xa0, 1, 0, 32, 0), repeated(1, true)])],
    ["a content size of 2^63", Buffer.concat([header(0xe0, 0, 0, 0, 0, 0, 0, 0, 128), repeated(1, true)])],
    ["a window of 2 GiB", Buffer.concat([header(0, 0xa8), repeated(1, true)])],
  ])("refuses %s", (_, frame) => {
    expect(() => decompress(frame)).toThrow("above the limit of 2097152 bytes");
  });

  it("refuses compressed blocks whose content is above the limit", () => {
    // A compressed block of 128 KiB: literals that repeat one byte, and no sequences.
    const block = Buffer.concat([literals(131_072), Buffer.of(0)]);
    const blockHeader = (isLast: boolean) => Buffer.of((block.length << 3) | 4 | (isLast ? 1 : 0), 0, 0);
    const blocks = (count: number) =>
      Array.from({ length: count }, (_, index) => Buffer.concat([blockHeader(index === count - 1), block]));
    expect(decompress(Buffer.concat([window2MiB, ...blocks(16)]))).toHaveLength(MAX_MESSAGE_BYTES);
    expect(() => decompress(Buffer.concat([window2MiB, ...blocks(1_000)]))).toThrow("above the limit of 2097152 bytes");
  });

  it.each([
    ["no frame", Buffer.from("garbage"), "not a Zstandard frame"],
    ["a frame without blocks", window2MiB, "no last block"],
    ["very many empty blocks", Buffer.concat([window2MiB, Buffer.alloc(3 * 2_000)]), "no last block"],
    ["bytes after the frame", Buffer.concat([window2MiB, repeated(1, true), Buffer.of(0)]), "a wrong length"],
    ["two frames", Buffer.concat([window2MiB, repeated(1, true), window2MiB, repeated(1, true)]), "a wrong length"],
    ["a dictionary", Buffer.concat([header(1, 0x58, 1), repeated(1, true)]), "needs a dictionary"],
    ["a frame that ends in its header", header(0xe0, 0), "ends in its header"],
    ["a block of the reserved type", Buffer.concat([window2MiB, Buffer.of(7, 0, 0)]), "a malformed block"],
  ])("refuses %s", (_, frame, reason) => {
    expect(() => decompress(frame)).toThrow(reason);
  });

  it("ends when a few bytes would keep it busy for seconds", () => {
    // No literals, 98,047 sequences that all copy 65,539 bytes, and an empty bit stream.
    const block = Buffer.concat([literals(0), Buffer.of(255, 255, 255, 0x54, 0, 0, 52, 1)]);
    const frame = Buffer.concat([window2MiB, Buffer.of((block.length << 3) | 5, 0, 0), block]);
    expect(() => decompress(frame, 20)).toThrow("takes too long to decompress");
  });

  /** Literals section of type RLE with a size of 20 bits (RFC 8878, section 3.1.1.3.1.1). */
  function literals(size: number): Buffer {
    return Buffer.of(1 | (3 << 2) | ((size & 15) << 4), (size >> 4) & 255, (size >> 12) & 255, 7);
  }
});

describe("a filter of known peers", () => {
  const salted = (key: Uint8Array, salt: Uint8Array) =>
    createHash("sha256").update(key).update(salt).digest().readBigUInt64BE();

  /** As avalanchego reads it: utils/bloom/filter.go. */
  function contains({ filter, salt }: BloomFilter, key: Uint8Array): boolean {
    const bytes = Buffer.from(filter);
    const count = bytes[0] ?? 0;
    const entries = bytes.subarray(1 + 8 * count);
    let hash = salted(key, salt);
    for (let index = 0; index < count; index++) {
      hash = BigInt.asUintN(64, (hash << 17n) | (hash >> 47n)) ^ bytes.readBigUInt64BE(1 + 8 * index);
      const bit = Number(hash % BigInt(entries.length * 8));
      if (!((entries[bit >> 3] ?? 0) & (1 << (bit & 7)))) return false;
    }
    return true;
  }
  const keys = Array.from({ length: 100 }, (_, index) => createHash("sha256").update(`${index}`).digest());

  it("contains what was added, and hardly anything else", () => {
    const growing = createBloomFilter(50);
    for (const key of keys.slice(0, 50)) growing.add(key);
    const filter = growing.value();
    expect(isBloomFilterValid(filter)).toBe(true);
    expect(keys.slice(0, 50).every((key) => contains(filter, key))).toBe(true);
    expect(keys.slice(50).filter((key) => contains(filter, key)).length).toBeLessThan(10);
  });

  it("of a recorded node is valid, and contains the addresses in its peer list", () => {
    for (const conversation of conversations) {
      const [handshake, list] = conversation.messages
        .filter(({ isOfNode }) => isOfNode)
        .map(({ bytes }) => decodeMessage(bytes));
      if (handshake?.kind !== "handshake" || list?.kind !== "peerList")
        throw new Error("the recording begins otherwise");
      const filter = handshake.handshake.knownPeers;
      expect(filter && isBloomFilterValid(filter)).toBe(true);
      for (const { certificate, timeSeconds } of list.claims) {
        const key = gossipId(nodeIdOf(certificate), timeSeconds);
        expect(filter && contains(filter, key)).toBe(true);
      }
      expect(keys.filter((key) => filter && contains(filter, key)).length).toBeLessThan(10);
    }
  });
});
