import { readFileSync } from "node:fs";

/** A frame of a recorded conversation, without its length. */
export interface RecordedMessage {
  readonly isOfNode: boolean;
  readonly name: string;
  readonly bytes: Buffer;
  /** The bytes that a compressed message contains; otherwise the message. */
  readonly content: Buffer;
  readonly fields: Record<string, unknown>;
  /** Content of requests and answers. */
  readonly app: { readonly handlerPrefix?: string; readonly message?: string; readonly justification?: string };
}

export interface Conversation {
  readonly name: string;
  readonly server: { readonly nodeID: string; readonly certificate: string };
  readonly client: { readonly nodeID: string; readonly certificate: string };
  readonly messages: readonly RecordedMessage[];
  /** Certificate and private key of the node, in PEM form. */
  readonly serverPem: string;
  /** Time of the first handshake, in Unix seconds. */
  readonly unixSeconds: number;
}

const DIRECTORY = "recordings/signatures";
const LENGTH_BYTES = 4;

/** The conversations of a client with real nodes, in recordings/signatures/p2p-exchange.json. */
export function readConversations(): Conversation[] {
  const keys = read("p2p-node-keys.json").keys as { nodeID: string; key: string }[];
  return read("p2p-exchange.json").conversations.map((conversation: Record<string, never>) => {
    const { name, server, client, frames } = conversation as unknown as Omit<Conversation, "messages"> & {
      frames: {
        direction: string;
        message: string;
        frame: string;
        decompressed?: string;
        fields: never;
        app?: never;
      }[];
    };
    const messages = frames.map(({ direction, message, frame, decompressed, fields, app }): RecordedMessage => {
      const bytes = Buffer.from(frame, "hex").subarray(LENGTH_BYTES);
      const content = decompressed ? Buffer.from(decompressed, "hex") : bytes;
      return { isOfNode: direction === "node to client", name: message, bytes, content, fields, app: app ?? {} };
    });
    const key = keys.find(({ nodeID }) => nodeID === server.nodeID)?.key;
    const der = Buffer.from(server.certificate, "hex").toString("base64");
    const serverPem = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n${key}`;
    return { name, server, client, messages, serverPem, unixSeconds: Number(messages[0]?.fields["my_time"]) };
  });
}

/** What a node did with each variant, in recordings/signatures/p2p-rules.json. */
export function readRules(): { readonly group: string; readonly name: string; readonly result: string }[] {
  return read("p2p-rules.json").rows;
}

function read(file: string) {
  return JSON.parse(readFileSync(`${DIRECTORY}/${file}`, "utf8"));
}
