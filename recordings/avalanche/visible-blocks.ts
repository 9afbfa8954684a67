import { type Answer, resultOf } from "../answers.ts";
import { SERVICES } from "./linear-chain.ts";

/** The visible part of a chain whose head is not at the end of the recording. */
export interface VisibleBlocks {
  readonly alias: string;
  /** Height of the newest visible block. */
  readonly head: number;
  /** True for a recorded block above the head. */
  hides(blockId: string): boolean;
}

interface Call {
  readonly visible: VisibleBlocks;
  readonly params: Readonly<Record<string, unknown>>;
}

/** `hidden`: the call is answered as if the recording did not have the block. */
type LimitedAnswer = Answer | "hidden" | undefined;

const METHODS: Readonly<Record<string, (call: Call) => LimitedAnswer>> = {
  getHeight: ({ visible }) => resultOf(`{"height":"${visible.head}"}`),
  getBlockByHeight: ({ visible, params }) => (Number(params["height"] ?? 0) > visible.head ? "hidden" : undefined),
  getBlock: ({ visible, params }) => (visible.hides(String(params["blockID"])) ? "hidden" : undefined),
};

/** The answer of a chain's API if it depends on the head; undefined if the recorded answer holds. */
export function answerFromVisible(
  visible: VisibleBlocks,
  method: string,
  params: Readonly<Record<string, unknown>>,
): LimitedAnswer {
  const [service, name = ""] = method.split(".");
  if (service !== SERVICES[visible.alias] || !Object.hasOwn(METHODS, name)) return undefined;
  return METHODS[name]?.({ visible, params });
}
