import type { RepeatOptions } from "../../../indexer/shared/repeat-pages.ts";

/** There may be work at any time, so each page is read again after the shortest pause. */
export const CONSTANT_WORK: RepeatOptions["work"] = {
  count: 0,
  untilNotified: async (_count, _ms, signal) => signal.throwIfAborted(),
};
