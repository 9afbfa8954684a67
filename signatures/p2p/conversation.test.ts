import { type Conversation, readConversations } from "../../test/support/p2p/recorded-conversation.ts";
import { type NodeSession, parseNodeKeys, startTestNode } from "../../test/support/p2p/test-node.ts";
import { collect, createTestKeys, createTestTransport, until } from "../../test/support/p2p/transport.ts";
import type { SignatureAnswer } from "./request-signatures.ts";
import { decodeMessage } from "./wire/messages.ts";

const bytesOf = (value: unknown) => Buffer.from(String(value ?? ""), "hex");
/** Requests that this client never sends: to a handler that does not exist, and with an even id. */
const NEVER_SENT = new Set([17, 18]);
/** Messages with signatures or random values. */
const RANDOM = new Set(["handshake", "get_peer_list"]);
const PING_MS = 2_000;
const DISCOVERY_MS = 3_000;

/** Plays the node's side of a conversation: waits for what the client said, and says what the node said. */
async function replay({ messages }: Conversation, session: NodeSession, received: string[]): Promise<void> {
  for (const { isOfNode, bytes, fields } of messages) {
    if (isOfNode) session.send(bytes);
    else if (!NEVER_SENT.has(Number(fields["request_id"])))
      received.push(String((await session.next())?.toString("hex")));
  }
}

describe.each(readConversations())("the recorded conversation '$name'", (conversation) => {
  const { messages, unixSeconds, server, serverPem } = conversation;

  it("is led by this client frame by frame, over TLS with the node's own certificate", async () => {
    const keys = await createTestKeys(0, unixSeconds);
    const received: string[] = [];
    const play = (session: NodeSession) => replay(conversation, session, received);
    await using node = await startTestNode(parseNodeKeys(serverPem, unixSeconds), play);
    const subnets = messages[0]?.fields["tracked_subnets"] as string[] | undefined;
    const trackedSubnets = subnets?.map(bytesOf) ?? [];
    const { transport, clock } = createTestTransport(keys, unixSeconds, [node], {
      firstRequestId: 1,
      trackedSubnets,
      timings: { pingMs: PING_MS, discoveryMs: DISCOVERY_MS },
    });
    await using _ = transport;
    expect(node.nodeId).toBe(server.nodeID);
    const unknown = "NodeID-111111111111111111116DBWJs";
    await transport.ensureConnected([server.nodeID, unknown], 5_000, (connected) => connected.size === 1);

    const answers: SignatureAnswer[] = [];
    for (const { name, isOfNode, fields, app } of messages) {
      if (isOfNode || name !== "app_request" || NEVER_SENT.has(Number(fields["request_id"]))) continue;
      const [message, justification] = [bytesOf(app.message), bytesOf(app.justification)];
      const chainId = bytesOf(fields["chain_id"]);
      answers.push(...(await collect(transport.request(chainId, [server.nodeID], message, justification, 5_000))));
    }
    expect(answers.map(summaryOf)).toEqual(expectedAnswers(conversation));
    expect(answers.filter(({ kind }) => kind === "signature")).toHaveLength(6);

    const sent = messages.filter(({ isOfNode, fields }) => !isOfNode && !NEVER_SENT.has(Number(fields["request_id"])));
    clock.advance(PING_MS);
    await until(() => received.length > sent.findIndex(({ name }) => name === "ping"));
    clock.advance(DISCOVERY_MS - PING_MS);
    await until(() => received.length === sent.length);
    const isFixed = (_: unknown, index: number) => !RANDOM.has(sent[index]?.name ?? "");
    expect(received.filter(isFixed)).toEqual(sent.filter(isFixed).map(({ content }) => content.toString("hex")));
    const ofRandom = received.filter((message, index) => !isFixed(message, index));
    expect(ofRandom.map((message) => message.slice(0, 2))).toEqual(["6a", "9a"]);
    expectSameHandshake(received[0] ?? "", conversation);
    // The node's answer to the request for another handler belongs to no request of ours.
    expect(transport.counts).toMatchObject({
      pendingRequests: 0,
      unmatchedReplies: 1,
      malformedMessages: 0,
      refusedAddresses: 0,
    });
  });
});

function summaryOf(answer: SignatureAnswer): unknown {
  if (answer.kind === "signature") return Buffer.from(answer.signature).toString("hex");
  return answer.kind === "refused" ? [answer.errorCode, answer.errorMessage] : answer.kind;
}

function expectedAnswers({ messages }: Conversation): unknown[] {
  return messages
    .filter(({ isOfNode, fields }) => isOfNode && fields["request_id"] && !NEVER_SENT.has(Number(fields["request_id"])))
    .map(({ name, fields, app }) =>
      name === "app_error"
        ? [fields["error_code"], fields["error_message"]]
        : (app as { readonly signature?: string }).signature,
    );
}

/** Signatures, addresses and random values differ; everything else is equal. */
function expectSameHandshake(hex: string, { messages }: Conversation): void {
  const [ours, theirs] = [bytesOf(hex), messages[0]?.bytes ?? Buffer.alloc(0)].map((bytes) => decodeMessage(bytes));
  if (ours?.kind !== "handshake" || theirs?.kind !== "handshake") throw new Error("the first message is no handshake");
  const { ip, port, addressSignature, blsSignature, knownPeers, ...same } = ours.handshake;
  expect(theirs.handshake).toMatchObject(same);
  expect([ip, port]).toEqual([Buffer.of(0, 0, 0, 0), 1]);
  expect([addressSignature.length > 60, blsSignature.length, knownPeers?.salt.length]).toEqual([true, 96, 32]);
}
