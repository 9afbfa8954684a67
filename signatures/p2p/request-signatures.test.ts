import { NOW, SIGNATURE, sign, startAnswering } from "../../test/support/p2p/answering-node.ts";
import {
  errorTo,
  messageOf,
  type NodeKeys,
  type NodeSession,
  type ReceivedRequest,
  responseTo,
} from "../../test/support/p2p/test-node.ts";
import {
  collect,
  createTestKeys,
  createTestTransport,
  type TestKeys,
  until,
} from "../../test/support/p2p/transport.ts";
import type { SignatureTransport } from "./transport.ts";

const CHAIN = Buffer.alloc(32, 5);
const MESSAGE = Buffer.from("message");
const NONE = Buffer.alloc(0);
const DEADLINE_MS = 5_000;
const GARBAGE = Buffer.from("ffffff", "hex");

let keys: TestKeys;
let first: NodeKeys;
let second: NodeKeys;
beforeAll(async () => {
  keys = await createTestKeys(2, NOW);
  [first = keys.client, second = keys.client] = keys.nodes;
});

const ask = (transport: SignatureTransport, ...nodeIds: string[]) =>
  transport.request(CHAIN, nodeIds, MESSAGE, NONE, DEADLINE_MS);
const REST = { pendingRequests: 0, connections: 1, sockets: 1 };

/** Connects to a node, asks it once, and returns the answer and the counts. */
async function answerOf(answer: (session: NodeSession, request: ReceivedRequest) => void) {
  await using node = await startAnswering(first, answer);
  const { transport } = createTestTransport(keys, NOW, [node]);
  await using _ = transport;
  await transport.ensureConnected([node.nodeId], DEADLINE_MS);
  const answers = await collect(ask(transport, node.nodeId));
  expect(answers).toHaveLength(1);
  const { nodeId, ...given } = answers[0] ?? { nodeId: "" };
  expect(nodeId).toBe(node.nodeId);
  return { ...given, counts: { ...transport.counts } };
}

describe("the answer of a node", () => {
  const signed = { kind: "signature", signature: SIGNATURE };
  /** Sends something else, then the signature. */
  const preceded =
    (other: (request: ReceivedRequest) => Buffer) => (session: NodeSession, request: ReceivedRequest) => {
      session.send(other(request));
      sign(session, request);
    };
  const of = (request: ReceivedRequest, changed: Partial<ReceivedRequest>) =>
    responseTo({ ...request, ...changed }, messageOf(1, Buffer.alloc(96)));

  it.each([5, 95, 97])("is given with its signature of %d bytes, which is not verified here", async (length) => {
    const signature = Buffer.alloc(length, 3);
    const answer = await answerOf((session, request) => session.send(responseTo(request, messageOf(1, signature))));
    expect(answer).toMatchObject({ kind: "signature", signature, counts: { ...REST, signatures: 1 } });
  });

  it("is an error code, which may be negative", async () => {
    const answer = await answerOf((session, request) => session.send(errorTo(request, -4, "throttled")));
    expect(answer).toMatchObject({ kind: "refused", errorCode: -4, errorMessage: "throttled", counts: REST });
  });

  it("without content says that the message has not been seen", async () => {
    const answer = await answerOf((session, request) => session.send(responseTo(request, NONE)));
    expect(answer).toMatchObject({ kind: "notSeen", counts: REST });
  });

  it("is malformed if its content is garbage", async () => {
    const answer = await answerOf((session, request) => session.send(responseTo(request, GARBAGE)));
    expect(answer).toMatchObject({ kind: "malformed", counts: { ...REST, malformedMessages: 1 } });
  });

  it("has an odd request id", async () => {
    const ids: number[] = [];
    await answerOf((session, request) => {
      ids.push(request.requestId);
      sign(session, request);
    });
    expect((ids[0] ?? 0) % 2).toBe(1);
  });

  it.each([
    ["garbage", preceded(() => GARBAGE), { malformedMessages: 1 }],
    ["an empty message", preceded(() => NONE), { malformedMessages: 0 }],
    ["an unknown message", preceded(() => messageOf(32, GARBAGE)), { malformedMessages: 0 }],
    ["a pong that nobody asked for", preceded(() => Buffer.from("6200", "hex")), { malformedMessages: 0 }],
    ["compressed garbage", preceded(() => messageOf(2, GARBAGE)), { malformedMessages: 1 }],
    ["an answer with an unknown id", preceded((request) => of(request, { requestId: 4 })), { unmatchedReplies: 1 }],
    [
      "an answer of another chain",
      preceded((request) => of(request, { chainId: Buffer.alloc(32) })),
      { unmatchedReplies: 1 },
    ],
    [
      "an error with an unknown id",
      preceded((request) => errorTo({ ...request, requestId: 4 }, 1, "")),
      { unmatchedReplies: 1 },
    ],
    ["a second peer list", preceded(() => Buffer.from("7200", "hex")), { malformedMessages: 0 }],
  ])("is found after %s", async (_, answer, counts) => {
    expect(await answerOf(answer)).toMatchObject({ ...signed, counts: { ...REST, ...counts } });
  });

  it("is missing if the node sends a second handshake", async () => {
    const answer = await answerOf((session) => session.send(Buffer.from("6a00", "hex")));
    expect(answer).toMatchObject({ kind: "disconnected", reason: "the node sent a second handshake" });
    expect(answer.counts).toMatchObject({ pendingRequests: 0, connections: 0, sockets: 0, lostConnections: 1 });
  });

  it.each([
    ["closes the connection", (session: NodeSession) => session.end(), /closed the connection/],
    [
      "announces a message of 3 MiB",
      (session: NodeSession) => session.sendRaw(Buffer.from("00300000", "hex")),
      /announced a message of 3145728 bytes/,
    ],
  ])("is missing if the node %s", async (_, fault, reason) => {
    const answer = await answerOf(fault);
    expect(answer).toMatchObject({ kind: "disconnected", reason: expect.stringMatching(reason) });
    expect(answer.counts).toMatchObject({ pendingRequests: 0, connections: 0, sockets: 0 });
  });
});

describe("a request to several nodes", () => {
  it("yields each answer as it comes, and a timeout at the deadline and not earlier", async () => {
    let late: (() => void) | null = null;
    await using quick = await startAnswering(first, sign);
    await using silent = await startAnswering(second, (session, request) => {
      late = () => sign(session, request);
    });
    const { transport, clock } = createTestTransport(keys, NOW, [quick, silent]);
    await using _ = transport;
    await transport.ensureConnected([quick.nodeId, silent.nodeId], DEADLINE_MS);
    const answers = ask(transport, quick.nodeId, silent.nodeId)[Symbol.asyncIterator]();
    expect((await answers.next()).value).toMatchObject({ nodeId: quick.nodeId, kind: "signature" });
    await until(() => late !== null);
    clock.advance(DEADLINE_MS - 1);
    expect(transport.counts).toMatchObject({ pendingRequests: 1, timeouts: 0 });
    clock.advance(1);
    expect((await answers.next()).value).toEqual({ nodeId: silent.nodeId, kind: "timeout" });
    expect((await answers.next()).done).toBe(true);
    expect(transport.counts).toMatchObject({ pendingRequests: 0, timeouts: 1, signatures: 1 });
    // An answer after the deadline is ignored.
    (late ?? (() => {}))();
    await until(() => transport.counts.unmatchedReplies === 1);
  });

  it("counts one answer of a node that answers twice, and none for the request of another node", async () => {
    const requests: ReceivedRequest[] = [];
    const twice = (session: NodeSession, request: ReceivedRequest) => {
      requests.push(request);
      // Also answers with the id that the other node got.
      for (const { requestId } of [request, request, ...requests]) sign(session, { ...request, requestId });
    };
    await using one = await startAnswering(first, twice);
    await using other = await startAnswering(second, twice);
    const { transport } = createTestTransport(keys, NOW, [one, other]);
    await using _ = transport;
    await transport.ensureConnected([one.nodeId, other.nodeId], DEADLINE_MS);
    const answers = await collect(ask(transport, one.nodeId, other.nodeId, one.nodeId));
    expect(answers.map(({ nodeId }) => nodeId).sort()).toEqual([one.nodeId, other.nodeId].sort());
    await until(() => transport.counts.unmatchedReplies === 5);
    expect(transport.counts).toMatchObject({ pendingRequests: 0, signatures: 2 });
  });

  it("is given up when the caller stops reading", async () => {
    await using quick = await startAnswering(first, sign);
    await using silent = await startAnswering(second, () => {});
    const { transport, clock } = createTestTransport(keys, NOW, [quick, silent]);
    await using _ = transport;
    await transport.ensureConnected([quick.nodeId, silent.nodeId], DEADLINE_MS);
    const timers = clock.timers.length;
    for await (const { kind } of ask(transport, quick.nodeId, silent.nodeId)) {
      expect(kind).toBe("signature");
      break;
    }
    expect(transport.counts).toMatchObject({ pendingRequests: 0, timeouts: 0, connections: 2 });
    expect(clock.timers).toHaveLength(timers);
  });

  it("ends when the transport is closed, and leaves no timer and no socket", async () => {
    await using silent = await startAnswering(first, () => {});
    const { transport, clock } = createTestTransport(keys, NOW, [silent]);
    await transport.ensureConnected([silent.nodeId], DEADLINE_MS);
    const answers = collect(ask(transport, silent.nodeId));
    await until(() => transport.counts.pendingRequests === 1);
    await transport[Symbol.asyncDispose]();
    expect(await answers).toEqual([{ nodeId: silent.nodeId, kind: "disconnected", reason: "this client stops" }]);
    expect(transport.counts).toMatchObject({ pendingRequests: 0, connections: 0, sockets: 0 });
    expect(clock.timers).toEqual([]);
    await until(() => silent.open === 0);
  });

  it("is one of 200 at the same time, and each gets its answer", async () => {
    await using node = await startAnswering(first, sign);
    const { transport } = createTestTransport(keys, NOW, [node], { firstRequestId: 2 ** 32 - 101 });
    await using _ = transport;
    await transport.ensureConnected([node.nodeId], DEADLINE_MS);
    const all = await Promise.all(Array.from({ length: 200 }, () => collect(ask(transport, node.nodeId))));
    expect(all.every(([answer]) => answer?.kind === "signature")).toBe(true);
    expect(transport.counts).toMatchObject({ pendingRequests: 0, signatures: 200, unmatchedReplies: 0 });
  });
});
