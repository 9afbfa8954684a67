import { setTimeout as sleep } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { decodeCb58, encodeCb58 } from "../../../core/formats/cb58.ts";
import { EMPTY_ID, type SimulatorConfig } from "../config.ts";
import type { Fault, FaultKind } from "../faults.ts";
import { bytesOfLabel } from "../identity/seed.ts";
import { Refusal } from "../signing/refusal.ts";
import type { Signer } from "../signing/signer.ts";
import { createFrameReader, encodeFrame } from "../wire/frames.ts";
import {
  type AppRequest,
  bloomFilterOf,
  encodeMessage,
  type Handshake,
  handshakeFields,
  type MessageKind,
  type PeerMessage,
  parseAppRequest,
  parseHandshake,
  parseMessage,
  peerList,
  type SignedAddress,
} from "../wire/messages.ts";
import { varintOf } from "../wire/protobuf.ts";
import { type Answer, refusedAnswer, signedAnswer } from "./answers.ts";
import { brokenHandshakeRule, isFilter } from "./handshake-rules.ts";
import { LOOPBACK, type ValidatorNode } from "./validator-node.ts";
import type { Rule } from "./violations.ts";

/** What the connections of all nodes share. */
export interface Network {
  readonly config: SimulatorConfig;
  readonly signer: Signer;
  nowSeconds(): number;
  /** Addresses that a node tells a peer: at most fifteen, others at each call. */
  addressesFor(node: ValidatorNode): SignedAddress[];
  /** The BLS key of a validator; null if the node id is none, or has no key. */
  validatorKey(nodeId: string): Buffer | null;
}

const MAX_DEADLINE_NANO = 10_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
const MAX_UPTIME = 100n;
const FRAGMENT_BYTES = 7;
/** Frames that a client must ignore: no protobuf, empty, an unknown field. */
const NOISE = ["ffffffff", "", "c23e0101"].map((hex) => Buffer.from(hex, "hex"));

/**
 * Holds the conversation of a node with one peer, from the end of the TLS handshake on. The socket is destroyed as soon as the peer
 * breaks a rule for which nodes close connections (see `Rule`).
 */
export function converse(network: Network, node: ValidatorNode, socket: TLSSocket, peer: Peer): void {
  const { pingMs, silenceMs } = network.config;
  const conversation: Conversation = {
    network,
    node,
    socket,
    peer,
    hasHandshake: false,
    isConnected: false,
    openPings: 0,
  };
  const frames = createFrameReader();
  const silence = setTimeout(() => close(conversation, "silence"), silenceMs);
  const pings = setInterval(() => {
    conversation.openPings++;
    send(conversation, encodeMessage("ping", []));
  }, pingMs);
  socket.on("close", () => {
    clearTimeout(silence);
    clearInterval(pings);
  });
  socket.on("data", (chunk) => {
    const receivedAt = process.hrtime.bigint();
    try {
      for (const content of frames.push(chunk)) {
        if (socket.destroyed) return;
        silence.refresh();
        receive(conversation, content, receivedAt);
      }
    } catch {
      close(conversation, "frame-length");
    }
  });
  if (node.faults.of("closes-after-tls")) return void socket.destroy();
  if (!node.faults.of("no-handshake")) send(conversation, ownHandshake(network, node));
}

/** Who is at the other end, by its certificate. */
export interface Peer {
  readonly nodeId: string;
  readonly certificate: Buffer;
}

interface Conversation {
  readonly network: Network;
  readonly node: ValidatorNode;
  readonly socket: TLSSocket;
  readonly peer: Peer;
  hasHandshake: boolean;
  /** The peer has sent Handshake and PeerList: only now its requests count. */
  isConnected: boolean;
  openPings: number;
}

function close({ node, socket }: Conversation, rule: Rule): void {
  node.violations.add(rule);
  socket.destroy();
}

function send({ node, socket }: Conversation, message: Buffer): void {
  if (socket.destroyed) return;
  const noise = node.faults.of("noise") ? NOISE.map(encodeFrame) : [];
  const bytes = Buffer.concat([...noise, encodeFrame(message)]);
  if (!node.faults.of("fragments")) return void socket.write(bytes);
  for (let offset = 0; offset < bytes.length; offset += FRAGMENT_BYTES)
    socket.write(bytes.subarray(offset, offset + FRAGMENT_BYTES));
}

function receive(conversation: Conversation, content: Buffer, receivedAt: bigint): void {
  const { violations } = conversation.node;
  try {
    const message = parseMessage(content);
    if (message) HANDLERS[message.kind](conversation, message, receivedAt);
    else violations.add("unknown-message");
  } catch {
    violations.add("malformed-message");
  }
}

type Handler = (conversation: Conversation, message: PeerMessage, receivedAt: bigint) => void;

const HANDLERS: Readonly<Record<MessageKind, Handler>> = {
  handshake: receiveHandshake,
  peerList(conversation) {
    if (conversation.hasHandshake) conversation.isConnected = true;
    else conversation.node.violations.add("message-before-handshake");
  },
  ping(conversation, { fields }) {
    if (varintOf(fields, 1) > MAX_UPTIME) close(conversation, "ping-uptime");
    else if (!conversation.node.faults.of("no-pong")) send(conversation, encodeMessage("pong", []));
  },
  pong(conversation) {
    if (conversation.openPings === 0) close(conversation, "unrequested-pong");
    else conversation.openPings--;
  },
  getPeerList: receiveGetPeerList,
  appRequest(conversation, message, receivedAt) {
    if (conversation.isConnected) receiveRequest(conversation, parseAppRequest(message), receivedAt);
    else conversation.node.violations.add("message-before-handshake");
  },
  appResponse: receiveUnrequested,
  appError: receiveUnrequested,
  appGossip() {},
};

function receiveUnrequested({ node, isConnected }: Conversation): void {
  node.violations.add(isConnected ? "unrequested-response" : "message-before-handshake");
}

function receiveHandshake(conversation: Conversation, message: PeerMessage): void {
  const { network, node, peer } = conversation;
  const { networkId, version, minimumVersion } = network.config;
  const context = {
    networkId,
    version,
    minimumVersion,
    nowSeconds: network.nowSeconds(),
    certificate: peer.certificate,
    validatorKey: network.validatorKey(peer.nodeId),
  };
  const rule = conversation.hasHandshake ? "second-handshake" : brokenHandshakeRule(handshakeOrEmpty(message), context);
  conversation.hasHandshake = true;
  if (rule) close(conversation, rule);
  else if (!node.faults.of("no-peer-list") && !node.faults.of("no-handshake")) sendPeerList(conversation);
}

/** A Handshake whose fields have wrong types counts as one without fields. */
function handshakeOrEmpty(message: PeerMessage): Handshake {
  try {
    return parseHandshake(message);
  } catch {
    return parseHandshake({ kind: "handshake", fields: [] });
  }
}

function receiveGetPeerList(conversation: Conversation, { fields }: PeerMessage): void {
  const filter = bloomFilterOf(fields, 1);
  if (!conversation.hasHandshake) conversation.node.violations.add("message-before-handshake");
  else if (filter && isFilter(filter)) sendPeerList(conversation);
  else close(conversation, "known-peers");
}

function sendPeerList(conversation: Conversation): void {
  const { network, node } = conversation;
  send(conversation, encodeMessage("peerList", peerList(network.addressesFor(node))));
}

function ownHandshake({ config, nowSeconds }: Network, node: ValidatorNode): Buffer {
  const { faults } = node;
  const { signature, timestamp, port } = node.signedAddress();
  const [major, minor, patch] = faults.of("old-version") ? [1, 11, 0] : config.version;
  const offset = faults.of("clock")?.offsetSeconds ?? 0;
  const fields = handshakeFields({
    networkId: BigInt(faults.of("wrong-network-id") ? config.networkId + 1 : config.networkId),
    timeSeconds: BigInt(Math.floor(nowSeconds() + offset)),
    address: LOOPBACK,
    port: BigInt(port),
    signingTimeSeconds: timestamp,
    nodeSignature: faults.of("bad-address-signature")
      ? node.identity.sign(Buffer.from("another address"))
      : Buffer.from(signature),
    trackedSubnets: node.config.subnets
      .filter(({ subnetId }) => subnetId !== EMPTY_ID)
      .map(({ subnetId }) => idBytes(subnetId)),
    client: { name: "avalanchego", major: BigInt(major), minor: BigInt(minor), patch: BigInt(patch) },
    knownPeers: { filter: Buffer.from("01000000000000000000", "hex"), salt: bytesOfLabel(`salt:${node.name}`, 32) },
    blsSignature: faults.of("bad-address-proof") ? bytesOfLabel(`random:${node.name}`, 96) : node.addressProof(),
  });
  return encodeMessage("handshake", fields);
}

function idBytes(id: string): Buffer {
  return Buffer.from(decodeCb58(id) ?? []);
}

function receiveRequest(conversation: Conversation, request: AppRequest, receivedAt: bigint): void {
  const { network, node } = conversation;
  node.requests++;
  const chainId = request.chainId.length === 32 ? encodeCb58(request.chainId) : "";
  const vm = network.signer.vmOf(chainId);
  if (vm === null || !runs(network, node, chainId)) return;
  // An even id reaches a handler of old requests, which ignores what it does not know.
  const isIgnored = (vm === "coreth" || vm === "subnet-evm") && request.requestId % 2n === 0n;
  if (isExpired(request, receivedAt)) node.violations.add("request-deadline");
  else if (isIgnored) node.violations.add("even-request-id");
  else void answer(conversation, request, chainId);
}

function isExpired({ deadlineNano }: AppRequest, receivedAt: bigint): boolean {
  const limit = deadlineNano > MAX_DEADLINE_NANO ? MAX_DEADLINE_NANO : deadlineNano;
  return deadlineNano > MAX_INT64 || process.hrtime.bigint() - receivedAt >= limit;
}

/** The P-Chain and the chains of the primary network run everywhere, others on the validators of their subnet. */
function runs({ config }: Network, node: ValidatorNode, chainId: string): boolean {
  const subnetId = config.chains[chainId]?.subnetId ?? EMPTY_ID;
  return subnetId === EMPTY_ID || node.config.subnets.some((subnet) => subnet.subnetId === subnetId);
}

async function answer(conversation: Conversation, request: AppRequest, chainId: string): Promise<void> {
  const { node, socket } = conversation;
  const faults = node.faults.takeForAnswer();
  if (faults.has("silent")) return;
  if (faults.has("disconnects-before")) return void socket.destroy();
  const slow = faults.get("slow");
  const delayMs = node.config.delayMs + (slow?.kind === "slow" ? slow.delayMs : 0);
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  const { messages, closes } = answerTo(conversation, request, chainId, faults);
  for (const message of messages) send(conversation, message);
  if (closes) socket.end();
}

function answerTo(
  { network, node }: Conversation,
  request: AppRequest,
  chainId: string,
  faults: ReadonlyMap<FaultKind, Fault>,
): Answer {
  const refuses = faults.get("refuses");
  if (refuses?.kind === "refuses") return refusedAnswer(request, refuses.code, refuses.message, faults);
  try {
    return signedAnswer(node, request, network.signer.messageToSign(chainId, request.appBytes), faults);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refusedAnswer(request, error.code, error.message, faults);
  }
}
