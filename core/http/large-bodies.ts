import { untilIdle } from "../async/until-idle.ts";
import { Overloaded } from "../limits/admission/overloaded.ts";
import { countRejection } from "../observability/rejections.ts";

/** Bodies above this size are limited together, and are parsed one after the other. Most requests are far below it. */
export const LARGE_BODY_BYTES = 65_536;
/** Bytes of all large bodies of the process that have arrived and are not parsed yet. */
const MAX_BYTES = 32 << 20;

/** A large body that arrives. */
export interface LargeBody {
  /** Counts bytes that have arrived. */
  add(bytes: number): void;
  /** To be called when the body is complete. Waits until the event loop has nothing else to do, for at most 20 ms. */
  complete(): Promise<void>;
  /** Must be called when the body is parsed, or when it will not be. */
  end(): void;
}

/** The functions that refuse the large bodies of which bytes are missing, in the order in which these became large. */
const arriving = new Set<() => void>();
let totalBytes = 0;

/**
 * Counts a body that has become large. If all large bodies together need too much memory, those that have arrived for longest are refused:
 * clients that send slowly cannot keep others from sending large bodies.
 */
export function beginLargeBody(refuse: (reason: Overloaded) => void): LargeBody {
  let ownBytes = 0;
  const end = () => {
    arriving.delete(refuseThis);
    totalBytes -= ownBytes;
    ownBytes = 0;
  };
  const refuseThis = () => {
    end();
    countRejection("overloaded");
    refuse(new Overloaded(1));
  };
  arriving.add(refuseThis);
  return {
    add(bytes) {
      ownBytes += bytes;
      totalBytes += bytes;
      for (const refuseOldest of arriving) {
        if (totalBytes <= MAX_BYTES) return;
        refuseOldest();
      }
    },
    async complete() {
      arriving.delete(refuseThis);
      await untilIdle();
    },
    end,
  };
}
