import { parseNodeId } from "../../core/formats/id-text.ts";
import { type Answer, Refusal, resultOf } from "../answers.ts";
import { chainNamed } from "../manifest.ts";
import type { Recording } from "../recording.ts";

const PATH = "/ext/info";
/** The node's message for parameters that it cannot parse. */
export const INVALID_PARAMS =
  "couldn't unmarshal an argument. Ensure arguments are valid and properly formatted. See documentation for example calls";

type Params = Readonly<Record<string, unknown>>;

/** Methods whose answer depends on their parameters. The node ignores the parameters of all others. */
const WITH_PARAMS: Readonly<Record<string, (recording: Recording, params: Params) => Answer | null>> = {
  "info.isBootstrapped": ({ manifest }, { chain }) =>
    chainNamed(manifest, chain) ? resultOf('{"isBootstrapped":true}') : null,
  "info.getBlockchainID": ({ manifest }, { alias }) => {
    const chain = chainNamed(manifest, alias);
    return chain ? resultOf(JSON.stringify({ blockchainID: chain.blockchainId })) : null;
  },
  "info.peers": (recording, { nodeIDs }) => {
    const all = recording.answer(PATH, "info.peers");
    return all ? peersIn(all, nodeIDs) : null;
  },
};

interface Peer {
  readonly nodeID: string;
}

/** The answer to an info method whose call was recorded with other parameters only; null if it cannot be derived. */
export function composeInfo(recording: Recording, method: string, params: Params): Answer | null {
  const compose = Object.hasOwn(WITH_PARAMS, method) ? WITH_PARAMS[method] : undefined;
  return compose ? compose(recording, params) : (recording.answer(PATH, method) ?? null);
}

/** The recorded peers with these node ids, in the order of the ids. */
function peersIn(all: Answer, nodeIds: unknown): Answer {
  if (nodeIds === undefined || nodeIds === null) return all;
  if (!Array.isArray(nodeIds) || !nodeIds.every((id) => id === null || isNodeId(id)))
    throw new Refusal(-32000, INVALID_PARAMS);
  if (nodeIds.length === 0) return all;
  const { peers } = JSON.parse(all.text) as { readonly peers: readonly Peer[] };
  const found = nodeIds.flatMap((id) => peers.find(({ nodeID }) => nodeID === id) ?? []);
  return resultOf(JSON.stringify({ numPeers: String(found.length), peers: found }));
}

const isNodeId = (id: unknown): boolean => typeof id === "string" && parseNodeId(id) !== null;
