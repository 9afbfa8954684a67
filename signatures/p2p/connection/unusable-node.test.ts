import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { TlsOptions } from "node:tls";
import { NOW, SIGNATURE, sign, startAnswering } from "../../../test/support/p2p/answering-node.ts";
import { messageOf, type NodeKeys, type NodeSession, startTestNode } from "../../../test/support/p2p/test-node.ts";
import {
  collect,
  createTestKeys,
  createTestTransport,
  type TestKeys,
  until,
} from "../../../test/support/p2p/transport.ts";
import { TIMINGS } from "../timings.ts";
import type { Handshake } from "../wire/handshake.ts";

let keys: TestKeys;
let nodeKeys: NodeKeys;
beforeAll(async () => {
  keys = await createTestKeys(2, NOW);
  nodeKeys = keys.nodes[0] ?? keys.client;
});

/** Connects to a node and returns why that failed. */
async function reasonAt(node: {
  readonly nodeId: string;
  readonly host: string;
  readonly port: number;
}): Promise<string> {
  const { transport, clock, lines } = createTestTransport(keys, NOW, [node]);
  await using _ = transport;
  // The next attempt comes after a second, so that there is no hope before the deadline.
  const { connected } = await transport.ensureConnected([node.nodeId], 500);
  expect(connected.size).toBe(0);
  const reason = transport.reasonOf(node.nodeId) ?? "";
  expect(lines).toMatchObject([{ nodeId: node.nodeId, msg: expect.stringContaining(reason) }]);
  expect(clock.timers).toContain(TIMINGS.firstRetryMs);
  const [answer] = await collect(transport.request(SIGNATURE, [node.nodeId], SIGNATURE, SIGNATURE, 500));
  expect(answer).toEqual({ nodeId: node.nodeId, kind: "disconnected", reason });
  expect(transport.counts).toMatchObject({ failedDials: 1, connections: 0, sockets: 0, pendingRequests: 0 });
  return reason;
}

describe("a node is not connected, and the log says why, if it", () => {
  const cases: [string, { changed?: Partial<Handshake>; tls?: TlsOptions }, string][] = [
    ["belongs to another network", { changed: { networkId: 5 } }, "the node belongs to network 5, not 12345"],
    ["has a wrong clock", { changed: { timeSeconds: BigInt(NOW + 120) } }, "differs by 120 seconds"],
    ["has not signed its address", { changed: { port: 2 } }, "the signature of the node's address is not valid"],
    ["has a malformed BLS signature", { changed: { blsSignature: Buffer.alloc(96, 1) } }, "BLS signature"],
    ["speaks only TLS 1.2", { tls: { maxVersion: "TLSv1.2" } }, "it does not speak TLS 1.3"],
  ];

  it.each(cases)("%s", async (_, options, reason) => {
    await using node = await startAnswering(nodeKeys, sign, options);
    expect(await reasonAt(node)).toContain(reason);
  });

  it("has another node id", async () => {
    await using node = await startAnswering(nodeKeys, sign);
    const nodeId = keys.nodes[1]?.identity.nodeId ?? "";
    const reason = `another node, ${node.nodeId}, answers at 127.0.0.1:${node.port}`;
    expect(await reasonAt({ nodeId, host: node.host, port: node.port })).toBe(reason);
  });

  it.each([
    ["closes the connection after TLS", async (session: NodeSession) => session.end(), /closed the connection/],
    [
      "closes the connection after the client's handshake",
      async (session: NodeSession) => session.next().then(() => session.end()),
      /closed the connection/,
    ],
    [
      "announces a message above 2 MiB",
      async (session: NodeSession) => session.sendRaw(Buffer.from("00200001", "hex")),
      /announced a message of 2097153 bytes/,
    ],
    [
      "announces a length with the top bit",
      async (session: NodeSession) => session.sendRaw(Buffer.from("80000002", "hex")),
      /announced a message of 2147483650 bytes/,
    ],
    [
      "sends a zip bomb",
      // 1,000 blocks of 128 KiB that repeat one byte.
      async (session: NodeSession) =>
        session.send(messageOf(2, Buffer.from(`28b52ffd0058${"02001000".repeat(1_000)}`, "hex"))),
      /the content of a compressed message is above the limit/,
    ],
  ])("%s", async (_, play, reason) => {
    await using node = await startTestNode(nodeKeys, play);
    expect(await reasonAt(node)).toMatch(reason);
  });

  it("closes the connection before TLS", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const address = { nodeId: nodeKeys.identity.nodeId, host: "127.0.0.1", port };
    expect(await reasonAt(address)).toContain("closed the connection");
    server.close();
    await once(server, "close");
    expect(await reasonAt(address)).toContain("nothing accepts connections there");
  });

  it.each([
    ["TLS", async () => {}],
    ["the client's handshake", async (session: NodeSession) => void (await session.next())],
    // Messages other than the handshake do not count.
    ["garbage", async (session: NodeSession) => session.send(Buffer.from("ffffffff", "hex"))],
    ["a peer list without a handshake", async (session: NodeSession) => session.send(Buffer.from("7200", "hex"))],
  ])("is silent after %s for 10 seconds", async (_, play) => {
    await using node = await startTestNode(nodeKeys, play);
    const { transport, clock } = createTestTransport(keys, NOW, [node]);
    await using _transport = transport;
    const ensured = transport.ensureConnected([node.nodeId], 10_500);
    await until(() => node.sessions === 1);
    clock.advance(9_999);
    expect(transport.counts.failedDials).toBe(0);
    clock.advance(1);
    expect((await ensured).connected.size).toBe(0);
    expect(transport.reasonOf(node.nodeId)).toBe("the handshake was not complete after 10 seconds");
    await until(() => node.open === 0);
  });
});
