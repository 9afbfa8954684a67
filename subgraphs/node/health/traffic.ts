import type { HealthClock } from "./clock.ts";
import { goDuration } from "./go-text.ts";

const SECOND_NS = 1_000_000_000n;
const WINDOW_SECONDS = 60n;

/** What went to the upstream node and came back. */
export interface Traffic {
  /** Counts a request: one that rejects has failed. */
  watch<Answer>(request: () => Promise<Answer>): Promise<Answer>;
  /** As the check `network` of a node says it: the failed share of the last minute's requests, and the time since the last of each kind. */
  seen(): TrafficSeen;
}

export interface TrafficSeen {
  readonly sendFailRate: number;
  readonly timeSinceLastMsgReceived?: string;
  readonly timeSinceLastMsgSent?: string;
}

interface Counts {
  sent: number;
  failed: number;
}

export function createTraffic(clock: HealthClock): Traffic {
  const bySecond = new Map<bigint, Counts>();
  let sentNs: bigint | null = null;
  let receivedNs: bigint | null = null;
  const forget = (second: bigint) => {
    for (const old of bySecond.keys()) if (old <= second - WINDOW_SECONDS) bySecond.delete(old);
  };
  const countsNow = (): Counts => {
    const second = clock.nowNs() / SECOND_NS;
    const counts = bySecond.get(second) ?? { sent: 0, failed: 0 };
    bySecond.set(second, counts);
    forget(second);
    return counts;
  };
  const since = (atNs: bigint) => goDuration(clock.nowNs() - atNs);
  return {
    async watch(request) {
      // Both of the second in which it was sent, so that no share is above 1.
      const counts = countsNow();
      counts.sent += 1;
      sentNs = clock.nowNs();
      try {
        const answer = await request();
        receivedNs = clock.nowNs();
        return answer;
      } catch (error) {
        counts.failed += 1;
        throw error;
      }
    },
    seen() {
      forget(clock.nowNs() / SECOND_NS);
      const all = [...bySecond.values()];
      const sent = all.reduce((sum, counts) => sum + counts.sent, 0);
      const failed = all.reduce((sum, counts) => sum + counts.failed, 0);
      return {
        sendFailRate: sent === 0 ? 0 : failed / sent,
        ...(receivedNs === null ? {} : { timeSinceLastMsgReceived: since(receivedNs) }),
        ...(sentNs === null ? {} : { timeSinceLastMsgSent: since(sentNs) }),
      };
    },
  };
}
