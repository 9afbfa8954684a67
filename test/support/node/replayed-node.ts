import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { type FaultyNode, startFaultyNode } from "./faulty-node.ts";

/** Network of the recording. */
export const NETWORK_ID = 76001;

/** The recorded node of the network alpha. It counts requests, and returns wrong answers on demand. */
export interface ReplayedNode extends FaultyNode {
  /** Number of calls of a method. */
  asked(method: string): number;
  /** The recorded result of a method of `/ext/info`, parsed; null if none is recorded. */
  recorded(method: string, params?: object): unknown;
}

export async function startReplayedNode(): Promise<ReplayedNode> {
  const recording = openRecording(ALPHA);
  const replay = await startReplayNode({ recording, heads: "full" });
  const node = await startFaultyNode({ upstream: replay.url });
  return {
    ...node,
    asked: (method) => node.traffic.calls.get(method) ?? 0,
    recorded: (method, params) => JSON.parse(recording.answer("/ext/info", method, params)?.text ?? "null"),
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]();
      await replay[Symbol.asyncDispose]();
    },
  };
}
