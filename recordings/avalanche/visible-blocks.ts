import { type Answer, resultOf } from "../answers.ts";
import { SERVICES } from "./linear-chain.ts";

/** How far a node has got with the chain that a path speaks of. */
export interface Horizon {
  readonly alias: string;
  /** Height of the newest visible block. */
  readonly head: number;
  /** True for a block of the chain that is not visible yet. */
  hides(blockId: string): boolean;
}

/** A call to a chain whose head is not at the end of the recording. */
interface Call {
  readonly horizon: Horizon;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `hidden`: as if the recording did not have it. */
type Seen = Answer | "hidden" | undefined;

const METHODS: Readonly<Record<string, (call: Call) => Seen>> = {
  getHeight: ({ horizon }) => resultOf(`{"height":"${horizon.head}"}`),
  getBlockByHeight: ({ horizon, params }) => (Number(params["height"] ?? 0) > horizon.head ? "hidden" : undefined),
  getBlock: ({ horizon, params }) => (horizon.hides(String(params["blockID"])) ? "hidden" : undefined),
};

/** What a chain's own service says otherwise than at the end of the recording; undefined where it says the same. */
export function seenFrom(horizon: Horizon, method: string, params: Readonly<Record<string, unknown>>): Seen {
  const [service, name = ""] = method.split(".");
  if (service !== SERVICES[horizon.alias] || !Object.hasOwn(METHODS, name)) return undefined;
  return METHODS[name]?.({ horizon, params });
}
