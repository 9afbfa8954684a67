import { sign, X509Certificate } from "node:crypto";
import { decodeCb58 } from "../../core/formats/cb58.ts";
import {
  appRequest,
  bloomFilter,
  clientIdentity,
  connectPeer,
  envelope,
  FIELD,
  type HandshakeFields,
  handshake,
  joinedPeer,
  type RawMessage,
  type RawPeer,
  readReply,
  signatureRequest,
} from "../../test/support/signatures/raw-peer.ts";
import {
  C_CHAIN,
  NODE_IDS,
  P_CHAIN,
  RECORDED_AT,
  type RecordedVector,
  recorded,
  recordedNetwork,
} from "../../test/support/signatures/recorded-network.ts";
import { brokenHandshakeRule } from "./peer/handshake-rules.ts";
import { type Simulator, startSimulator } from "./simulator.ts";
import { parseHandshake, parseMessage } from "./wire/messages.ts";
import { encodeZstd } from "./wire/zstd.ts";

interface Conversation {
  readonly name: string;
  readonly client: { readonly certificate: string; readonly blsPublicKey: string };
  readonly server: { readonly nodeID: string };
  readonly frames: readonly {
    readonly direction: string;
    readonly frame: string;
    readonly message: string;
    readonly decompressed?: string;
  }[];
}
interface RuleRow {
  readonly group: string;
  readonly name: string;
  readonly result: string;
}

const { conversations } = recorded<{ conversations: readonly Conversation[] }>("p2p-exchange");
const { rows } = recorded<{ rows: readonly RuleRow[] }>("p2p-rules");
const rowsOf = (group: string) => rows.filter((row) => row.group === group);
const hex = (text: string) => Buffer.from(text, "hex");
const NOW = RECORDED_AT;
const HOUR_NANO = 3_600_000_000_000n;

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ ...recordedNetwork(), addressProof: "point" });
});
afterAll(() => simulator[Symbol.asyncDispose]());

const NAMES = new Map<number, string>([
  [FIELD.pong, "pong"],
  [FIELD.handshake, "handshake"],
  [FIELD.peerList, "peer_list"],
  [FIELD.appResponse, "app_response"],
  [FIELD.appError, "app_error"],
]);
/** Handshakes and peer lists differ in times, keys and addresses; everything else is equal byte by byte. */
const DIFFERING = ["handshake", "peer_list"];
const contentOf = (message: string, got: RawMessage | null) => [
  NAMES.get(got?.field ?? 0),
  DIFFERING.includes(message) ? (got?.isCompressed ?? null) : got?.message.toString("hex"),
];
const contentOfFrame = ({ message, frame, decompressed }: Conversation["frames"][number]) =>
  DIFFERING.includes(message) ? decompressed !== undefined : (decompressed ?? frame.slice(8));

const portOf = (nodeId: string) => simulator.population.nodes.find((node) => node.nodeId === nodeId)!.port;
const PORT = () => portOf(NODE_IDS[0]);
const identity = clientIdentity("client");

describe("a simulated validator", () => {
  it.each(conversations.map((one) => [one.name, one] as const))(
    "answers the recorded client side of '%s'",
    async (_, one) => {
      const own = clientIdentity(one.name);
      await using peer = await connectPeer(portOf(one.server.nodeID), own);
      // The recorded Handshake is signed with a key that only its client had; everything else goes out as recorded.
      peer.send(handshake(own.key, NOW));
      const sent = one.frames.filter(({ direction }) => direction === "client to node");
      // The last recorded Pong answers a Ping that the node sent after 22 s.
      for (const { frame, message } of sent.slice(1)) if (message !== "pong") peer.write(hex(frame));
      const expected = one.frames.filter(
        ({ direction, message }) => direction === "node to client" && message !== "ping",
      );
      const given = [];
      for (const { message } of expected) given.push(contentOf(message, await peer.next()));
      expect(given).toEqual(expected.map((frame) => [frame.message, contentOfFrame(frame)]));
    },
  );

  it("accepts the recorded Handshakes with the certificate and the key of their client", () => {
    const context = { networkId: 12_345, version: [1, 14, 2], minimumVersion: [1, 14, 0] };
    const broken = conversations.map(({ client, frames }) => {
      const parsed = parseHandshake(parseMessage(hex(frames[0]!.frame).subarray(4))!);
      const validatorKey = hex(client.blsPublicKey);
      const certificate = new X509Certificate(hex(client.certificate)).raw;
      const now = { nowSeconds: Number(parsed.timeSeconds), certificate };
      const other = { ...parsed, signingTimeSeconds: parsed.signingTimeSeconds + 1n };
      return [
        brokenHandshakeRule(parsed, { ...context, ...now, validatorKey }),
        brokenHandshakeRule(other, { ...context, ...now, validatorKey }),
        brokenHandshakeRule(parsed, {
          ...context,
          ...now,
          validatorKey: hex(conversations[0]!.client.blsPublicKey).fill(0),
        }),
      ];
    });
    expect(broken).toEqual(conversations.map(() => [null, "address-signature", "address-proof"]));
  });

  const SALT = Buffer.alloc(32, 7);
  const subnets = (count: number) => Array.from({ length: count }, (__, index) => Buffer.alloc(32, index + 1));
  const version = (text: string) => ({
    name: "avalanchego",
    version: text.split(".").map(Number) as [number, number, number],
  });
  const CHANGES: Readonly<Record<string, Partial<HandshakeFields>>> = {
    unchanged: {},
    "network_id 1": { networkId: 1 },
    "ip_signing_time 50 s ahead": { signingTime: NOW + 50 },
    "ip_signing_time 120 s ahead": { signingTime: NOW + 120 },
    "ip_signing_time one year old": { signingTime: NOW - 31_536_000 },
    "ip 0.0.0.0 port 1": { ip: Buffer.alloc(4), port: 1 },
    "port 0": { port: 0 },
    "ip_addr of 16 bytes": { ip: hex("00000000000000000000ffff7f000001") },
    "ip_addr of 5 bytes": { ip: Buffer.alloc(5, 1) },
    "ip_addr missing": { ip: null },
    "port 70000": { port: 70_000 },
    "ip_node_id_sig wrong": { nodeSignature: sign("sha256", Buffer.from("another"), identity.key) },
    "ip_node_id_sig missing": { nodeSignature: null },
    "ip_bls_sig missing": { blsSignature: null },
    "ip_bls_sig valid over something else": {},
    "ip_bls_sig random bytes": { blsSignature: Buffer.alloc(96, 0x5a) },
    "ip_bls_sig infinity": { blsSignature: Buffer.concat([Buffer.of(0xc0), Buffer.alloc(95)]) },
    "client name foo": { client: { name: "foo", version: [1, 14, 2] } },
    "client name empty": { client: { name: "", version: [1, 14, 2] } },
    "client missing": { client: null },
    "tracked_subnets 16": { trackedSubnets: subnets(16) },
    "tracked_subnets 17": { trackedSubnets: subnets(17) },
    "tracked_subnets with the primary network": { trackedSubnets: [Buffer.alloc(32)] },
    "tracked_subnets of 31 bytes": { trackedSubnets: [Buffer.alloc(31, 1)] },
    "tracked_subnets twice the same": { trackedSubnets: [...subnets(1), ...subnets(1)] },
    "supported_acps 1, 2": { supportedAcps: [1, 2] },
    "the same acp supported and objected": { supportedAcps: [7], objectedAcps: [7] },
    "known_peers absent": { knownPeers: null },
    "known_peers empty filter": { knownPeers: { filter: Buffer.alloc(0), salt: SALT } },
    "known_peers smallest filter": { knownPeers: { filter: hex("01000000000000000000"), salt: SALT } },
    "known_peers filter of 9 bytes": { knownPeers: { filter: hex("010000000000000000"), salt: SALT } },
    "known_peers salt of 33 bytes": { knownPeers: { filter: hex("01000000000000000000"), salt: Buffer.alloc(33) } },
    "known_peers without salt": { knownPeers: { filter: hex("01000000000000000000"), salt: Buffer.alloc(0) } },
    "all_subnets false": { allSubnets: false },
    "upgrade_time 5": { upgradeTime: 5 },
  };
  const changesOf = (name: string): Partial<HandshakeFields> => {
    const [, seconds] = /^my_time (-?\d+) s off$/.exec(name) ?? [];
    const [, text] = /^client (\d\S+)$/.exec(name) ?? [];
    const changes = seconds ? { time: NOW + Number(seconds) } : text ? { client: version(text) } : CHANGES[name];
    if (!changes) throw new Error(`no Handshake for '${name}'`);
    return changes;
  };

  it("accepts and closes on each Handshake as the recorded node", async () => {
    const results: string[][] = [];
    const recordedRows = rowsOf("handshake").filter(({ result }) => !result.startsWith("error"));
    for (const { name } of recordedRows) {
      const extra = name.startsWith("SNI") ? { servername: "localhost", ALPNProtocols: ["h2"] } : {};
      await using peer = await connectPeer(PORT(), identity, extra);
      peer.send(handshake(identity.key, NOW, name.startsWith("SNI") ? {} : changesOf(name)));
      results.push([name, (await peer.nextOf(FIELD.peerList)) ? "accepted" : "closed"]);
    }
    expect(results).toEqual(recordedRows.map(({ name, result }) => [name, result.split(" ")[0]]));
  });

  it("refuses TLS 1.2, and a client without a certificate, with the recorded alerts", async () => {
    const old = connectPeer(PORT(), identity, { minVersion: "TLSv1.2", maxVersion: "TLSv1.2" });
    await expect(old).rejects.toMatchObject({ code: "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION" });
    await using bare = await connectPeer(PORT(), null);
    await expect(bare.nextOf(FIELD.peerList)).rejects.toMatchObject({
      code: "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    });
  });

  const chain = (id: string) => Buffer.from(decodeCb58(id)!);
  const C = chain(C_CHAIN);
  const P = chain(P_CHAIN);
  const messageOf = (name: string) => hex(recorded<RecordedVector>(name).unsignedMessage);
  const onC = messageOf("c-chain-message");
  const onP = messageOf("p-registration-of-conversion-validator");
  const cRequest = signatureRequest(onC);
  const pRequest = signatureRequest(onP);
  const body = (request: Buffer) => request.subarray(1);
  const withPrefix = (prefix: string, request = pRequest) => Buffer.concat([hex(prefix), body(request)]);
  const ASK: Readonly<Record<string, Uint8Array>> = {
    "C-Chain, odd id": appRequest(C, 11, HOUR_NANO, cRequest),
    "C-Chain, even id": appRequest(C, 12, HOUR_NANO, cRequest),
    "C-Chain, id 0": appRequest(C, 0, HOUR_NANO, cRequest),
    "C-Chain, id 2^32-1": appRequest(C, 2 ** 32 - 1, HOUR_NANO, cRequest),
    "C-Chain, same id again": appRequest(C, 11, HOUR_NANO, cRequest),
    "P-Chain, odd id": appRequest(P, 13, HOUR_NANO, pRequest),
    "P-Chain, even id": appRequest(P, 14, HOUR_NANO, pRequest),
    "P-Chain, id 0": appRequest(P, 0, HOUR_NANO, pRequest),
    "deadline 0": appRequest(P, 15, 0n, pRequest),
    "deadline 1 ns": appRequest(P, 17, 1n, pRequest),
    "deadline 2^63": appRequest(P, 21, 2n ** 63n, pRequest),
    "deadline 2^64-1": appRequest(P, 23, 2n ** 64n - 1n, pRequest),
    "C-Chain deadline 1 hour": appRequest(C, 25, HOUR_NANO, cRequest),
    "C-Chain deadline 0": appRequest(C, 27, 0n, cRequest),
    "request compressed with zstd (raw blocks)": envelope(2, encodeZstd(appRequest(P, 29, HOUR_NANO, pRequest))),
    "handler prefix 00": appRequest(P, 31, HOUR_NANO, withPrefix("00")),
    "handler prefix 01": appRequest(P, 33, HOUR_NANO, withPrefix("01")),
    "handler prefix 03": appRequest(P, 35, HOUR_NANO, withPrefix("03")),
    "handler prefix 02 in two bytes (82 00)": appRequest(P, 37, HOUR_NANO, withPrefix("8200")),
    "no handler prefix": appRequest(P, 39, HOUR_NANO, body(pRequest)),
    "empty app_bytes": appRequest(P, 41, HOUR_NANO, Buffer.alloc(0)),
    "prefix only": appRequest(P, 43, HOUR_NANO, hex("02")),
    "garbage protobuf": appRequest(P, 45, HOUR_NANO, hex("02ffffffff")),
    "unknown protobuf field beside the message": appRequest(P, 47, HOUR_NANO, Buffer.concat([pRequest, hex("7a0101")])),
    "chain id of 31 bytes": appRequest(C.subarray(1), 49, HOUR_NANO, cRequest),
    "after a wrong chain id": appRequest(C, 51, HOUR_NANO, cRequest),
    "justification of 1 MiB, ignored kind": appRequest(P, 53, HOUR_NANO, signatureRequest(onP, Buffer.alloc(2 ** 20))),
  };
  /** One depends on the speed of the machine; two are about many requests at once. */
  const OTHERS = [
    "deadline 1 ms",
    "200 equal requests to the C-Chain at once",
    "200 equal requests to the P-Chain at once",
  ];

  it("answers each request as the recorded node", async () => {
    await using peer = await joinedPeer(PORT(), NOW);
    const results: string[][] = [];
    const recordedRows = rowsOf("request").filter(({ name }) => !OTHERS.includes(name));
    for (const { name } of recordedRows) {
      const request = ASK[name];
      if (!request) throw new Error(`no request for '${name}'`);
      peer.send(request);
      results.push([name, await resultOf(peer)]);
    }
    const short = (result: string) => /^(signature|error -?\d+|no answer)/.exec(result)?.[0] ?? result;
    expect(results).toEqual(recordedRows.map(({ name, result }) => [name, short(result)]));
  });

  /** The answer to the request that was sent last; `no answer` if a request that is sent after it is answered first. */
  async function resultOf(peer: RawPeer): Promise<string> {
    const last = 999_999;
    peer.send(appRequest(P, last, HOUR_NANO, pRequest));
    const { requestId, errorCode } = readReply((await peer.next())!);
    if (requestId === last) return "no answer";
    await peer.next();
    return errorCode === undefined ? "signature" : `error ${errorCode}`;
  }

  it("answers 200 equal requests at once", async () => {
    await using peer = await joinedPeer(PORT(), NOW);
    for (let index = 0; index < 200; index++) peer.send(appRequest(C, 2 * index + 1, HOUR_NANO, cRequest));
    const ids = new Set<number>();
    while (ids.size < 200) ids.add(readReply((await peer.next())!).requestId);
    expect(ids.size).toBe(200);
  });

  const badFilter = bloomFilter({ filter: hex("01"), salt: Buffer.alloc(0) });
  const goodFilter = bloomFilter({ filter: hex("01000000000000000000"), salt: Buffer.alloc(0) });
  const ON_CONNECTION: Readonly<Record<string, (peer: RawPeer) => void>> = {
    "unrequested pong": (peer) => peer.send(hex("6200")),
    "our ping, uptime 0": (peer) => peer.send(hex("5a00")),
    "our ping, uptime 100": (peer) => peer.send(hex("5a020864")),
    "our ping, uptime 101": (peer) => peer.send(hex("5a020865")),
    "garbage frame": (peer) => peer.send(hex("ffffffff")),
    "empty frame": (peer) => peer.send(Buffer.alloc(0)),
    "unknown field only": (peer) => peer.send(hex("c23e0101")),
    "second handshake": (peer) => peer.send(handshake(identity.key, NOW)),
    "second peer list": (peer) => peer.send(hex("7200")),
    "get peer list": (peer) => peer.send(envelope(FIELD.getPeerList, envelope(1, goodFilter))),
    "get peer list with a bad filter": (peer) => peer.send(envelope(FIELD.getPeerList, envelope(1, badFilter))),
    "frame length above 2 MiB": (peer) => peer.write(hex("00200001")),
    "frame length with the top bit": (peer) => peer.write(hex("80000004")),
    "app_response nobody asked for": (peer) => peer.send(envelope(FIELD.appResponse, hex("1005"))),
    "app_gossip garbage to the C-Chain": (peer) =>
      peer.send(envelope(32, Buffer.concat([hex("0a20"), C, hex("1202ffff")]))),
  };

  it("treats each oddity on the connection as the recorded node", async () => {
    const results: string[][] = [];
    const recordedRows = rowsOf("connection").filter(({ name }) => ON_CONNECTION[name]);
    for (const { name } of recordedRows) {
      await using peer = await joinedPeer(PORT(), NOW);
      ON_CONNECTION[name]!(peer);
      peer.send(appRequest(P, 1, HOUR_NANO, pRequest));
      results.push([name, (await peer.nextOf(FIELD.appResponse)) ? "open" : "closed"]);
    }
    expect(results).toEqual(recordedRows.map(({ name, result }) => [name, result]));
    expect(results).toHaveLength(rowsOf("connection").length - 2);
  });

  it("refuses a second connection with the same certificate, and keeps the first", async () => {
    await using first = await joinedPeer(PORT(), NOW);
    await using second = await connectPeer(PORT(), identity);
    expect(await second.next()).toBeNull();
    first.send(appRequest(P, 1, HOUR_NANO, pRequest));
    expect(await first.nextOf(FIELD.appResponse)).not.toBeNull();
  });

  it("pings, and closes a connection that stays silent", async () => {
    await using quick = await startSimulator({
      ...recordedNetwork(),
      addressProof: "point",
      pingMs: 50,
      silenceMs: 300,
    });
    await using peer = await joinedPeer(quick.population.nodes[0]!.port, NOW);
    expect(await peer.nextOf(FIELD.ping)).not.toBeNull();
    expect(await peer.nextOf(FIELD.pong)).toBeNull();
    expect(quick.report()[0]?.violations).toEqual({ silence: 1 });
  });
});
