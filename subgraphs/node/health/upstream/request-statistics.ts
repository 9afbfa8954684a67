import type { HealthClock } from "../runner/clock.ts";
import { goDuration } from "../runner/go-format.ts";

const SECOND_NS = 1_000_000_000n;
const WINDOW_SECONDS = 60n;

/** Statistics of the requests to the upstream node. */
export interface RequestStatistics {
  /** Runs and counts a request. It counts as failed if it rejects. */
  record<Answer>(request: () => Promise<Answer>): Promise<Answer>;
  /**
   * Summary in the form of a node's check `network`: fraction of requests that failed in the last minute, and time since the last
   * request and since the last answer.
   */
  summary(): RequestSummary;
}

export interface RequestSummary {
  readonly sendFailRate: number;
  readonly timeSinceLastMsgReceived?: string;
  readonly timeSinceLastMsgSent?: string;
}

interface Counts {
  sent: number;
  failed: number;
}

export function createRequestStatistics(clock: HealthClock): RequestStatistics {
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
    async record(request) {
      // A failure counts in the second in which its request was sent, so that the rate is at most 1.
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
    summary() {
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
