import type { RecordedChain } from "../manifest.ts";
import type { Recording } from "../recording.ts";

/** The recorded P- or X-Chain, whole: nothing here knows of a head that hides blocks. */
export interface LinearChain {
  readonly alias: string;
  /** Height of the last recorded block. */
  readonly height: number;
  /** Height of the block with that id; undefined when it is not in the recording. */
  heightOfBlock(id: string): number | undefined;
  /** When the node accepted each block, by height, in milliseconds; the genesis counts as old as the block after it. */
  timesMs(): number[];
}

/** The service that speaks of a chain, by the chain's alias. */
export const SERVICES: Readonly<Record<string, string>> = { P: "platform", X: "avm" };

/** Reads one chain out of a recording; its maps are built when first asked for. */
export function createLinearChain(recording: Recording, { alias, height }: RecordedChain): LinearChain {
  const answers = (method: string) => recording.calls(`/ext/bc/${alias}`, `${SERVICES[alias]}.${method}`);
  let heights: Map<string, number> | undefined;
  const readHeights = (): Map<string, number> => {
    // A block by its id is the same text as by its height.
    const byText = new Map(
      answers("getBlockByHeight").map(({ text, params }) => [text, (params as { height: number }).height]),
    );
    return new Map(
      answers("getBlock").map(({ text, params }) => [(params as { blockID: string }).blockID, byText.get(text) ?? 0]),
    );
  };
  return {
    alias,
    height,
    heightOfBlock(id) {
      heights ??= readHeights();
      return heights.get(id);
    },
    timesMs() {
      const accepted = recording
        .calls(`/ext/index/${alias}/block`, "index.getContainerByIndex")
        .flatMap(({ text }) => /"timestamp":"([^"]*)"/.exec(text)?.[1] ?? [])
        .map((time) => Date.parse(time));
      return [accepted[0] ?? 0, ...accepted];
    },
  };
}
