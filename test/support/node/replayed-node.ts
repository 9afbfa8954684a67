import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { type FaultyNode, startFaultyNode } from "./faulty-node.ts";

/** Network of the recording. */
export const NETWORK_ID = 76001;

/** The node of the alpha recording, which fails on demand and counts what it is asked. */
export interface ReplayedNode extends FaultyNode {
  /** How often a method was asked for. */
  asked(method: string): number;
  /** What the recorded node answered, word for word. */
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
