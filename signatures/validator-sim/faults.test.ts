import { aggregateSerializedSignatures, PublicKey, Signature, verify } from "@chainsafe/blst";
import { decodeCb58 } from "../../core/formats/cb58.ts";
import {
  appRequest,
  clientIdentity,
  connectPeer,
  FIELD,
  handshake,
  joinedPeer,
  type RawPeer,
  readReply,
  signatureRequest,
} from "../../test/support/signatures/raw-peer.ts";
import {
  C_CHAIN,
  NODE_IDS,
  RECORDED_AT,
  type RecordedVector,
  recorded,
  recordedNetwork,
} from "../../test/support/signatures/recorded-network.ts";
import type { Fault } from "./faults.ts";
import { type Simulator, startSimulator } from "./simulator.ts";
import { MAX_FRAME_BYTES } from "./wire/frames.ts";
import { decodeZstd, zipBomb } from "./wire/zstd.ts";

const DEADLINE_NANO = 5_000_000_000n;
const { unsignedMessage, answers } = recorded<RecordedVector>("c-chain-message");
const message = Buffer.from(unsignedMessage, "hex");
const right = answers.find(({ nodeID }) => nodeID === NODE_IDS[0])!.signature!;
const chainId = Buffer.from(decodeCb58(C_CHAIN)!);
const request = (id: number) => appRequest(chainId, id, DEADLINE_NANO, signatureRequest(message));
const identity = clientIdentity("client");

/** Network id 12345 and the recorded time, as a Handshake begins. */
const HONEST_TIME = "08b96010a7ad85d806";

let simulator: Simulator;
beforeAll(async () => {
  const network = recordedNetwork();
  simulator = await startSimulator({ ...network, nodes: network.nodes.slice(0, 1), addressProof: "point" });
});
afterAll(() => simulator[Symbol.asyncDispose]());
afterEach(() => simulator.setFaults(0, []));
const port = () => simulator.population.nodes[0]!.port;

type Reply = readonly [requestId: number, answer: string | number | undefined] | "closed";

/** The answers to requests while a fault is on. A Ping behind them shows where they end. */
async function answersWith(fault: Fault, ids = [1]): Promise<Reply[]> {
  await using peer = await joinedPeer(port(), RECORDED_AT);
  await simulator.setFaults(0, [fault]);
  for (const id of ids) peer.send(request(id));
  peer.send(Buffer.from("5a00", "hex"));
  return await collect(peer);
}

async function collect(peer: RawPeer): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (;;) {
    const next = await peer.next();
    if (!next) return [...replies, "closed"];
    if (next.field === FIELD.pong) return replies;
    if (next.field !== FIELD.appResponse && next.field !== FIELD.appError) continue;
    const { requestId, signature, errorCode } = readReply(next);
    replies.push([requestId, signature === right ? "right" : (signature ?? errorCode)]);
  }
}

async function signatureWith(fault: Fault): Promise<Buffer> {
  const [reply] = await answersWith(fault);
  return Buffer.from(String(reply?.[1]), "hex");
}

describe("a fault of answers", () => {
  it.each<[Fault, Reply[]]>([
    [{ kind: "silent" }, []],
    [{ kind: "refuses", code: -4, message: "throttled" }, [[1, -4]]],
    [{ kind: "empty" }, [[1, undefined]]],
    [{ kind: "infinity" }, [[1, `c0${"00".repeat(95)}`]]],
    [{ kind: "signature-length", bytes: 5 }, [[1, right.slice(0, 10)]]],
    [{ kind: "signature-length", bytes: 97 }, [[1, `${right}00`]]],
    [{ kind: "garbage-protobuf" }, [[1, ""]]],
    [{ kind: "garbage-zstd" }, []],
    [{ kind: "unknown-request-id" }, [[0x4000_0001, "right"]]],
    [{ kind: "other-request-id" }, [[3, "right"]]],
    [
      { kind: "twice" },
      [
        [1, "right"],
        [1, "right"],
      ],
    ],
    [{ kind: "disconnects-before" }, ["closed"]],
    [{ kind: "disconnects-after" }, [[1, "right"], "closed"]],
    [{ kind: "noise" }, [[1, "right"]]],
    [{ kind: "fragments" }, [[1, "right"]]],
    [{ kind: "uncompressed" }, [[1, "right"]]],
  ])("%j shows", async (fault, expected) => {
    expect(await answersWith(fault)).toEqual(expected);
  });

  it("that has `times` ends after so many answers", async () => {
    expect(await answersWith({ kind: "empty", times: 1 }, [1, 3])).toEqual([
      [1, undefined],
      [3, "right"],
    ]);
  });

  it("can be slow, so that a later answer comes first", async () => {
    const slow: Fault = { kind: "slow", delayMs: 30, times: 1 };
    await using peer = await joinedPeer(port(), RECORDED_AT);
    await simulator.setFaults(0, [slow]);
    for (const id of [1, 3]) peer.send(request(id));
    const ids = [await peer.next(), await peer.next()].map((reply) => readReply(reply!).requestId);
    expect(ids).toEqual([3, 1]);
  });

  it("can be a point that the key did not sign for this message", async () => {
    const key = PublicKey.fromHex(simulator.population.nodes[0]!.publicKey);
    for (const kind of ["other-key", "other-message", "old-message"] as const) {
      const signature = Signature.fromBytes(await signatureWith({ kind }), true);
      expect([kind, verify(message, key, signature)]).toEqual([kind, false]);
    }
    const honest = Signature.fromBytes(Buffer.from(right, "hex"), true);
    expect(verify(message, key, honest)).toBe(true);
  });

  it("can be a point outside the group of signatures, or bytes that are no point", async () => {
    const outside = await signatureWith({ kind: "outside-subgroup" });
    expect(() => Signature.fromBytes(outside)).not.toThrow();
    expect(() => Signature.fromBytes(outside, true)).toThrow(/group/i);
    const random = await signatureWith({ kind: "random-bytes" });
    expect(() => Signature.fromBytes(random, true)).toThrow();
  });

  it("can shift signatures so that two wrong ones cancel in a plain sum", async () => {
    const plus = await signatureWith({ kind: "shifted", direction: "plus" });
    const minus = await signatureWith({ kind: "shifted", direction: "minus" });
    const honest = Buffer.from(right, "hex");
    const sum = (parts: Buffer[]) => aggregateSerializedSignatures(parts).toHex();
    expect(plus.equals(honest) || minus.equals(honest)).toBe(false);
    expect(sum([plus, minus])).toBe(sum([honest, honest]));
  });

  it("can be a frame above 2 MiB", async () => {
    await using peer = await joinedPeer(port(), RECORDED_AT);
    await simulator.setFaults(0, [{ kind: "oversize-frame" }]);
    peer.send(request(1));
    peer.send(Buffer.from("5a00", "hex"));
    await peer.nextOf(FIELD.pong);
    expect(peer.frameSizes.some((size) => size > MAX_FRAME_BYTES)).toBe(true);
  });

  it("can be a zip bomb: 2 KiB that decompress to far more than 2 MiB", () => {
    const bomb = zipBomb();
    expect(bomb.length).toBeLessThan(3_000);
    expect(() => decodeZstd(bomb, MAX_FRAME_BYTES)).toThrow(RangeError);
  });
});

describe("a fault of the connection", () => {
  const withFault = async (fault: Fault) => {
    const network = recordedNetwork();
    const node = { ...network.nodes[0]!, faults: [fault] };
    return startSimulator({ ...network, nodes: [node], addressProof: "point" });
  };

  it("can refuse TCP until it is switched off", async () => {
    await using one = await withFault({ kind: "refuses-tcp" });
    const { port } = one.population.nodes[0]!;
    await expect(connectPeer(port, identity)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await one.setFaults(0, []);
    await using peer = await joinedPeer(port, RECORDED_AT);
    expect(peer.isClosed).toBe(false);
  });

  it("can speak only TLS 1.2", async () => {
    await using one = await withFault({ kind: "tls-1.2" });
    await expect(connectPeer(one.population.nodes[0]!.port, identity)).rejects.toMatchObject({
      code: expect.stringContaining("PROTOCOL_VERSION"),
    });
  });

  it("can present the certificate of another node", async () => {
    const network = recordedNetwork();
    const { nodeId: _, ...node } = network.nodes[0]!;
    const nodes = [{ ...node, faults: [{ kind: "wrong-certificate" as const }] }];
    await using one = await startSimulator({ ...network, nodes, addressProof: "point" });
    const { nodeId, certificateNodeId } = one.population.nodes[0]!;
    expect(certificateNodeId).not.toBe(nodeId);
  });

  it.each<[Fault, (fields: string) => boolean]>([
    [{ kind: "wrong-network-id" }, (hex) => hex.startsWith("08ba60")],
    [{ kind: "clock", offsetSeconds: 120 }, (hex) => hex.startsWith("08b96010") && !hex.startsWith(HONEST_TIME)],
    [{ kind: "bad-address-signature" }, (hex) => hex.startsWith(HONEST_TIME)],
    [{ kind: "bad-address-proof" }, (hex) => hex.startsWith(HONEST_TIME)],
  ])("%j shows in the Handshake", async (fault, isExpected) => {
    await using one = await withFault(fault);
    await using peer = await connectPeer(one.population.nodes[0]!.port, identity);
    const fields = (await peer.nextOf(FIELD.handshake))!.content.toString("hex");
    expect(isExpected(fields)).toBe(true);
  });

  it.each<Fault>([{ kind: "closes-after-tls" }, { kind: "no-handshake" }, { kind: "no-peer-list" }])(
    "%j keeps a peer from joining",
    async (fault) => {
      await using one = await withFault(fault);
      await using peer = await connectPeer(one.population.nodes[0]!.port, identity);
      peer.send(handshake(identity.key, RECORDED_AT));
      peer.send(Buffer.from("5a00", "hex"));
      const fields = [];
      for (;;) {
        const next = await peer.next();
        if (next) fields.push(next.field);
        if (!next || next.field === FIELD.pong) break;
      }
      expect(fields).not.toContain(FIELD.peerList);
      expect(fields.includes(FIELD.handshake)).toBe(fault.kind === "no-peer-list");
    },
  );
});
