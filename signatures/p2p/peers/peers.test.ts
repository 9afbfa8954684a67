import { sign as signBytes, X509Certificate } from "node:crypto";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { NOW, sign, startAnswering } from "../../../test/support/p2p/answering-node.ts";
import { createManualClock } from "../../../test/support/p2p/manual-clock.ts";
import {
  greet,
  messageOf,
  type NodeKeys,
  type NodeSession,
  startTestNode,
  TEST_NETWORK,
  type TestNode,
} from "../../../test/support/p2p/test-node.ts";
import { createTestKeys, createTestTransport, type TestKeys, until } from "../../../test/support/p2p/transport.ts";
import { checkHandshake } from "../connection/check-handshake.ts";
import { createCounts } from "../counts.ts";
import { parseNodeCertificate } from "../identity/node-certificate.ts";
import { addressBytes } from "../identity/signed-address.ts";
import { TIMINGS } from "../timings.ts";
import { decodeMessage } from "../wire/messages.ts";
import type { ClaimedAddress } from "../wire/peer-list.ts";
import { retryPauseMs } from "./backoff.ts";
import { createDirectory } from "./directory.ts";
import { isPrivate } from "./private-address.ts";

const DEADLINE_MS = 5_000;
const PEER_LIST_FIELD = 14;

let keys: TestKeys;
let first: NodeKeys;
let second: NodeKeys;
beforeAll(async () => {
  keys = await createTestKeys(2, NOW);
  [first = keys.client, second = keys.client] = keys.nodes;
});

describe("the client", () => {
  it("sends a handshake that keeps the rules of nodes", async () => {
    const received: Buffer[] = [];
    const play = async (session: NodeSession) => void received.push((await session.next()) ?? Buffer.alloc(0));
    await using node = await startTestNode(first, play);
    const { transport } = createTestTransport(keys, NOW, [node], { trackedSubnets: [Buffer.alloc(32, 1)] });
    await using _ = transport;
    void transport.ensureConnected([node.nodeId], DEADLINE_MS, () => received.length > 0);
    await until(() => received.length > 0);
    const message = decodeMessage(received[0] ?? Buffer.alloc(0));
    if (message.kind !== "handshake") throw new Error("the first message is no handshake");
    const certificate = parseNodeCertificate(new X509Certificate(keys.client.cert).raw);
    expect(() => checkHandshake(message.handshake, certificate, TEST_NETWORK, NOW)).not.toThrow();
    const { client, trackedSubnets, allSubnets } = message.handshake;
    expect(client).toEqual({ name: "avalanchego", major: 1, minor: 14, patch: 2 });
    expect([trackedSubnets.length, allSubnets]).toEqual([1, true]);
  });

  it("refuses to track more subnets than nodes accept", () => {
    const trackedSubnets = Array(17).fill(Buffer.alloc(32));
    expect(() => createTestTransport(keys, NOW, [], { trackedSubnets })).toThrow("at most 16 subnets");
  });

  it("pings, answers pings, gives an empty peer list, and ends a connection that is silent for 30 seconds", async () => {
    const received: string[] = [];
    let session: NodeSession | null = null;
    const onOther = (from: NodeSession, message: Buffer) => {
      session = from;
      received.push(message.toString("hex"));
    };
    await using node = await startAnswering(first, sign, { onOther });
    const { transport, clock } = createTestTransport(keys, NOW, [node]);
    await using _ = transport;
    await transport.ensureConnected([node.nodeId], DEADLINE_MS);
    clock.advance(22_500);
    await until(() => received.length === 1);
    for (const message of ["5a00", "9a0200"]) (session as NodeSession | null)?.send(Buffer.from(message, "hex"));
    await until(() => received.length === 3);
    expect(received).toEqual(["5a00", "6200", "7200"]);
    clock.advance(29_999);
    expect(transport.counts.connections).toBe(1);
    clock.advance(1);
    expect(transport.counts).toMatchObject({ connections: 0, sockets: 0, lostConnections: 1 });
    expect(transport.reasonOf(node.nodeId)).toBe("no message came for 30 seconds");
  });
});

describe("a node that cannot be connected", () => {
  it("is tried again after pauses that grow to a minute, and from a second again after a stable connection", async () => {
    let isGood = false;
    const sessions: NodeSession[] = [];
    const play = async (session: NodeSession) => {
      sessions.push(session);
      if (!isGood) return session.end();
      await greet(session, first.identity, clock.unixSeconds());
    };
    await using node = await startTestNode(first, play);
    const { transport, clock, lines } = createTestTransport(keys, NOW, [node], { timings: { stableMs: 20_000 } });
    await using _ = transport;
    const { counts } = transport;
    await transport.ensureConnected([node.nodeId], 1);
    const pauses: number[] = [];
    const passPause = () => {
      const pauseMs = Math.min(...clock.timers);
      pauses.push(pauseMs);
      clock.advance(pauseMs - 1);
      const { dials } = counts;
      clock.advance(1);
      expect(counts.dials).toBe(dials + 1);
    };
    for (let attempt = 1; attempt <= 8; attempt++) {
      await until(() => counts.failedDials === attempt);
      if (attempt === 8) isGood = true;
      passPause();
    }
    // The same reason is logged once.
    expect(lines.length).toBe(1);
    await until(() => counts.connections === 1);
    clock.advance(20_000);
    sessions.at(-1)?.end();
    await until(() => counts.connections === 0);
    passPause();
    await until(() => counts.connections === 1);
    sessions.at(-1)?.end();
    await until(() => counts.connections === 0);
    passPause();
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 1_000, 2_000]);
    expect(lines.slice(1).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^connected to NodeID-/),
      expect.stringMatching(/^lost the connection to NodeID-.*; the next attempt follows in 1 s$/),
      expect.stringMatching(/^connected to NodeID-/),
      expect.stringMatching(/^lost the connection to NodeID-.*; the next attempt follows in 2 s$/),
    ]);
  });

  it("is tried after the shortest pause as soon as somebody waits for it, and not if others are enough", async () => {
    let isGood = false;
    const play = async (session: NodeSession) =>
      isGood ? greet(session, first.identity, clock.unixSeconds()) : session.end();
    await using node = await startTestNode(first, play);
    const { transport, clock } = createTestTransport(keys, NOW, [node]);
    await using _ = transport;
    const { counts } = transport;
    await transport.ensureConnected([node.nodeId], 1);
    for (let attempt = 1; attempt < 6; attempt++) {
      await until(() => counts.failedDials === attempt);
      clock.advance(Math.min(...clock.timers));
    }
    await until(() => counts.failedDials === 6);
    isGood = true;
    clock.advance(999);
    await transport.ensureConnected([node.nodeId], DEADLINE_MS, () => true);
    expect(clock.timers).toContain(32_000 - 999);
    const ensured = transport.ensureConnected([node.nodeId], DEADLINE_MS);
    expect(counts.dials).toBe(6);
    clock.advance(1);
    expect((await ensured).connected).toEqual(new Set([node.nodeId]));
  });

  it("waits at least 10 seconds before another attempt unless it is on this machine", () => {
    expect(retryPauseMs(1, false, 0, TIMINGS)).toBe(10_000);
    expect(retryPauseMs(1, true, 1, TIMINGS)).toBe(1_500);
    expect(retryPauseMs(6, false, 0.5, TIMINGS)).toBe(40_000);
    expect(retryPauseMs(5_000, false, 1, TIMINGS)).toBe(90_000);
  });

  it("is tried at its next address", async () => {
    await using node = await startAnswering(first, sign);
    await using other = await startAnswering(second, sign);
    const wrong = { nodeId: node.nodeId, host: other.host, port: other.port };
    const { transport, clock } = createTestTransport(keys, NOW, [wrong]);
    await using _ = transport;
    transport.addAddresses("configuration", [node]);
    const ensured = transport.ensureConnected([node.nodeId], DEADLINE_MS);
    await until(() => transport.counts.failedDials === 1);
    clock.advance(1_000);
    expect((await ensured).connected).toEqual(new Set([node.nodeId]));
  });
});

describe("connections", () => {
  it("are enough when the caller says so, and do not wait for nodes without hope", async () => {
    await using node = await startAnswering(first, sign);
    await using silent = await startTestNode(second, async () => {});
    const { transport } = createTestTransport(keys, NOW, [node, silent]);
    await using _ = transport;
    const ids = [node.nodeId, silent.nodeId];
    const { connected } = await transport.ensureConnected(ids, DEADLINE_MS, ({ size }) => size >= 1);
    expect(connected).toEqual(new Set([node.nodeId]));
    expect((await transport.ensureConnected(ids, 0)).connected).toEqual(connected);
    // No address is known, and no peer is asked for one.
    const alone = createTestTransport(keys, NOW, []);
    await using _alone = alone.transport;
    expect((await alone.transport.ensureConnected(ids, DEADLINE_MS)).connected.size).toBe(0);
    expect(alone.transport.reasonOf(node.nodeId)).toBe("no address of the node is known");
  });

  it("are opened a few at a time", async () => {
    await using node = await startAnswering(first, sign);
    await using silent = await startTestNode(second, async () => {});
    const { transport, clock } = createTestTransport(keys, NOW, [silent, node], { timings: { maxDials: 1 } });
    await using _ = transport;
    const ensured = transport.ensureConnected([silent.nodeId, node.nodeId], 60_000, ({ size }) => size === 1);
    await until(() => silent.open === 1);
    expect(transport.counts.dials).toBe(1);
    clock.advance(10_000);
    expect((await ensured).connected).toEqual(new Set([node.nodeId]));
  });

  it("are closed when nobody has asked for them for an hour", async () => {
    await using node = await startAnswering(first, sign);
    const { transport, clock } = createTestTransport(keys, NOW, [node], { timings: { keepMs: 20_000 } });
    await using _ = transport;
    await transport.ensureConnected([node.nodeId], DEADLINE_MS);
    clock.advance(20_000);
    expect(transport.counts).toMatchObject({ connections: 0, sockets: 0 });
    await until(() => node.open === 0);
    expect(clock.timers).toEqual([]);
    expect((await transport.ensureConnected([node.nodeId], DEADLINE_MS)).connected.size).toBe(1);
  });

  it("are not made to private addresses unless that is allowed", async () => {
    await using node = await startAnswering(first, sign);
    const { transport } = createTestTransport(keys, NOW, [node], { allowPrivateAddresses: false });
    await using _ = transport;
    await transport.ensureConnected([node.nodeId], DEADLINE_MS);
    expect(transport.counts.dials).toBe(0);
    // What the operator configures is always allowed.
    transport.addAddresses("configuration", [node]);
    expect((await transport.ensureConnected([node.nodeId], DEADLINE_MS)).connected.size).toBe(1);
    expect(() => transport.addAddresses("node", [{ ...node, nodeId: node.nodeId, port: 0 }])).toThrow(
      "from 1 to 65535",
    );
  });

  it.each([
    ["10.1.2.3", true],
    ["172.31.0.1", true],
    ["172.32.0.1", false],
    ["::1", true],
    ["::ffff:192.168.0.1", true],
    ["fd00::1", true],
    ["2001:db8::1", false],
    ["node.example", false],
  ])("to %s are private: %s", (host, expected) => expect(isPrivate(host)).toBe(expected));
});

describe("the address of a node", () => {
  /** An address as a peer list contains it, signed by the node at `timeSeconds`. */
  const claimOf = (node: TestNode, { cert, key }: NodeKeys, timeSeconds: number): ClaimedAddress => {
    const claim = { ip: Buffer.of(127, 0, 0, 1), port: node.port, timeSeconds: BigInt(timeSeconds) };
    const signature = signBytes("sha256", addressBytes(claim), key);
    return { ...claim, certificate: new X509Certificate(cert).raw, signature };
  };
  /** A node that answers requests for addresses with this list. */
  const startTelling = (claims: readonly ClaimedAddress[]) =>
    startAnswering(first, sign, {
      onOther: (session) => session.send(messageOf(PEER_LIST_FIELD, Buffer.concat(claims.map(encodeClaim)))),
    });

  it("is learned from a peer, which is asked while an address is unknown", async () => {
    await using unknown = await startAnswering(second, sign);
    await using telling = await startTelling([claimOf(unknown, second, NOW)]);
    const { transport, clock } = createTestTransport(keys, NOW, [telling]);
    await using _ = transport;
    const ids = [telling.nodeId, unknown.nodeId];
    const ensured = transport.ensureConnected(ids, DEADLINE_MS);
    await until(() => transport.counts.connections === 1);
    clock.advance(2_000);
    expect((await ensured).connected).toEqual(new Set(ids));
    // Now every address is known, and no peer is asked.
    clock.advance(2_000);
    expect(clock.timers).not.toContain(2_000);
  });

  it("is refused unless the node has signed it", async () => {
    await using unknown = await startAnswering(second, sign);
    const claim = claimOf(unknown, second, NOW);
    await using telling = await startTelling([
      { ...claim, port: claim.port + 1 },
      { ...claim, certificate: Buffer.of(1) },
      claimOf(unknown, second, NOW + 3_600),
      { ...claim, ip: Buffer.alloc(5) },
      { ...claim, signature: Buffer.alloc(0) },
    ]);
    const { transport, clock } = createTestTransport(keys, NOW, [telling]);
    await using _ = transport;
    const ensured = transport.ensureConnected([telling.nodeId, unknown.nodeId], DEADLINE_MS);
    await until(() => transport.counts.connections === 1);
    clock.advance(2_000);
    await until(() => transport.counts.refusedAddresses === 5);
    clock.advance(3_000);
    expect((await ensured).connected).toEqual(new Set([telling.nodeId]));
    expect(transport.reasonOf(unknown.nodeId)).toBe("no address of the node is known");
  });

  it("is the newest that the node has signed", async () => {
    await using unknown = await startAnswering(second, sign);
    const clock = createManualClock(NOW);
    const directory = createDirectory({ allowPrivateAddresses: true, clock, counts: createCounts() });
    const [older, newer] = [claimOf(unknown, second, NOW - 9), claimOf(unknown, second, NOW)];
    const added = [[newer], [older], [newer]].map((claims) => directory.addClaims(claims).length);
    expect(added).toEqual([1, 0, 0]);
    expect(directory.addressesOf(unknown.nodeId)).toMatchObject([{ host: "127.0.0.1", port: unknown.port }]);
    // Peers are told in a filter what is known, and send other addresses.
    expect(directory.knownPeers().filter.some((byte) => byte !== 0)).toBe(true);
  });

  function encodeClaim({ certificate, ip, port, timeSeconds, signature }: ClaimedAddress): Uint8Array {
    const content = new BinaryWriter().uint32(0x0a).bytes(certificate).uint32(0x12).bytes(ip).uint32(0x18).uint32(port);
    return messageOf(1, content.uint32(0x20).uint64(timeSeconds).uint32(0x2a).bytes(signature).finish());
  }
});
