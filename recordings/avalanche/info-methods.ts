import { parseNodeId } from "../../core/id-text.ts";
import { type Answer, Refusal, resultOf } from "../answers.ts";
import type { Recording } from "../recording.ts";

const PATH = "/ext/info";
/** What the node says of parameters that it cannot read. */
export const NOT_NAMED =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

/** Methods whose answer hangs on their parameters; of all others parameters are ignored, as the node does. */
const ASKING = new Set(["info.isBootstrapped", "info.getBlockchainID", "info.peers"]);

interface Peer {
  readonly nodeID: string;
}

/** What the node says of itself where the recording has the same question in other words; null where it has none. */
export function composeInfo(
  recording: Recording,
  method: string,
  params: Readonly<Record<string, unknown>>,
): Answer | null {
  const plain = recording.answer(PATH, method);
  if (method === "info.peers" && plain) return peersOf(plain, params["nodeIDs"]);
  return ASKING.has(method) ? null : (plain ?? null);
}

/** Those of the recorded peers that are asked for, in the order asked. */
function peersOf(all: Answer, nodeIds: unknown): Answer {
  if (nodeIds === undefined || nodeIds === null) return all;
  if (!Array.isArray(nodeIds) || !nodeIds.every((id) => id === null || isNodeId(id)))
    throw new Refusal(-32000, NOT_NAMED);
  if (nodeIds.length === 0) return all;
  const { peers } = JSON.parse(all.text) as { readonly peers: readonly Peer[] };
  const found = nodeIds.flatMap((id) => peers.find(({ nodeID }) => nodeID === id) ?? []);
  return resultOf(JSON.stringify({ numPeers: String(found.length), peers: found }));
}

const isNodeId = (id: unknown): boolean => typeof id === "string" && parseNodeId(id) !== null;
