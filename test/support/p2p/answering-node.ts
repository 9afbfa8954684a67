import type { TlsOptions } from "node:tls";
import type { Handshake } from "../../../signatures/p2p/wire/handshake.ts";
import {
  greet,
  messageOf,
  type NodeKeys,
  type NodeSession,
  parseRequest,
  type ReceivedRequest,
  responseTo,
  startTestNode,
  type TestNode,
} from "./test-node.ts";

/** The time of tests, in Unix seconds. */
export const NOW = 1_800_000_000;
export const SIGNATURE = Buffer.alloc(96, 9);
const APP_REQUEST_TAG = Buffer.from("f201", "hex");

export interface AnsweringOptions {
  /** Fields of the node's handshake that differ from a correct one. */
  readonly changed?: Partial<Handshake>;
  readonly tls?: TlsOptions;
  /** What to do with messages that are no requests. */
  readonly onOther?: (session: NodeSession, message: Buffer) => void;
}

/** Starts a node that greets the client, and does `answer` with each request. */
export function startAnswering(
  keys: NodeKeys,
  answer: (session: NodeSession, request: ReceivedRequest) => void,
  { changed, tls, onOther = () => {} }: AnsweringOptions = {},
): Promise<TestNode> {
  const play = async (session: NodeSession) => {
    await greet(session, keys.identity, NOW, changed);
    for (let message = await session.next(); message; message = await session.next()) {
      if (message.subarray(0, 2).equals(APP_REQUEST_TAG)) answer(session, parseRequest(message));
      else onOther(session, message);
    }
  };
  return startTestNode(keys, play, tls);
}

export function sign(session: NodeSession, request: ReceivedRequest): void {
  session.send(responseTo(request, messageOf(1, SIGNATURE)));
}
