import type { RecordedChain } from "../manifest.ts";
import type { Recording } from "../recording.ts";

/** The complete recorded P- or X-Chain, regardless of the replay's current head. */
export interface LinearChain {
  readonly alias: string;
  /** Height of the last recorded block. */
  readonly height: number;
  /** Height of the block with that id; undefined if it is not in the recording. */
  heightOfBlock(id: string): number | undefined;
  /** Acceptance time of each block by height, in milliseconds. Block 0 has the time of block 1. */
  timesMs(): number[];
}

/** JSON-RPC service of a chain, by alias. */
export const SERVICES: Readonly<Record<string, string>> = { P: "platform", X: "avm" };

/** Reads one chain of a recording. Lookup tables are built on first use. */
export function createLinearChain(recording: Recording, { alias, height }: RecordedChain): LinearChain {
  const answers = (method: string) => recording.calls(`/ext/bc/${alias}`, `${SERVICES[alias]}.${method}`);
  let heights: Map<string, number> | undefined;
  const readHeights = (): Map<string, number> => {
    // A node returns the same text for a block by id and by height.
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
