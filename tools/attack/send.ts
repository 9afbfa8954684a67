import { Agent, request as httpRequest } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { messageOf } from "../../core/errors/errors.ts";
import type { AttackRequest, AttackResponse } from "./request.ts";

const TIMEOUT_MS = 60_000;
/** An event stream does not end by itself. */
const STREAM_BYTES = 1;

const DECODERS: Readonly<Record<string, (body: Buffer) => Buffer>> = { gzip: gunzipSync, br: brotliDecompressSync };

/** Sends requests over a few connections. Disposing it closes them. */
export interface Sender extends Disposable {
  send(request: AttackRequest): Promise<AttackResponse>;
}

export function createSender(url: string, connections: number): Sender {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const sendOnce = ({ method, path, headers, body }: AttackRequest): Promise<AttackResponse> =>
    new Promise((resolve, reject) => {
      const length = body ? { "content-length": body.length } : {};
      const options = { hostname, port, agent, method, path, headers: { ...length, ...headers }, timeout: TIMEOUT_MS };
      const outgoing = httpRequest(options, (incoming) => {
        const chunks: Buffer[] = [];
        const { statusCode: status = 0, headers: received } = incoming;
        const contentType = String(received["content-type"] ?? "");
        const decode = DECODERS[String(received["content-encoding"])] ?? ((body: Buffer) => body);
        const finish = () => {
          const bytes = Buffer.concat(chunks);
          const text = (bytes.length > 0 ? decode(bytes) : bytes).toString("utf8");
          resolve({ status, contentType, text, failure: null });
        };
        const isStream = contentType.startsWith("text/event-stream");
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          if (!isStream || chunk.length < STREAM_BYTES) return;
          finish();
          incoming.destroy();
        });
        incoming.on("end", finish).on("error", reject);
      });
      outgoing.on("timeout", () => outgoing.destroy(new Error(`no response within ${TIMEOUT_MS / 1_000} s`)));
      outgoing.on("error", reject);
      outgoing.end(body ?? undefined);
    });
  const attempt = async (request: AttackRequest): Promise<AttackResponse> => {
    try {
      return await sendOnce(request);
    } catch (error) {
      // The server may close an idle connection while a request is sent on it.
      if (!/ECONNRESET|EPIPE|socket hang up/.test(messageOf(error))) throw error;
      return sendOnce(request);
    }
  };
  return {
    send: (request) =>
      attempt(request).catch((error: unknown) => ({ status: 0, contentType: "", text: "", failure: messageOf(error) })),
    [Symbol.dispose]: () => agent.destroy(),
  };
}
