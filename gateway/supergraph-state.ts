import { messageOf } from "../core/errors/errors.ts";
import type { Logger } from "../core/observability/logger.ts";
import { createOutageLog } from "../core/observability/outage-log.ts";
import { counterOf, readGauge } from "../core/observability/registry.ts";

/** The supergraph that is answered, for reports of health. */
export interface SupergraphStatus {
  /** See `GraphVersion.hash`. Absent while Moraine's own graph is answered because there was no other one yet. */
  readonly hash?: string;
  /** When it was first answered (RFC 3339). */
  readonly since?: string;
  /** That it may be out of date. Absent if it is not. Without the reason, which the log has. */
  readonly warning?: string;
}

/** What is known of the supergraph of a source: for health, log and metrics. */
export interface SupergraphState extends Disposable {
  /** Another supergraph is answered. */
  used(hash: string): void;
  /** The source was read. */
  read(): void;
  /** The source could not be read, or its supergraph not be used. Each reason is logged once, until it works again or fails for another one. */
  failed(error: unknown): void;
  /** There is no source any more. */
  forget(): void;
  isFailing(): boolean;
  /** Null without a source. */
  status(): SupergraphStatus | null;
}

const WARNING =
  "the supergraph could not be read, composed or used; the earlier one is answered, and the log has the reason";
const failures = counterOf("supergraphFailures", {});

export function createSupergraphState(logger: Logger): SupergraphState {
  const subject = "the loading of the supergraph";
  const outage = createOutageLog({ logger, subject });
  let present: { readonly hash: string; readonly since: Date } | null = null;
  let readAt: Date | null = null;
  let isFailing = false;
  let lastReason = "";
  const read = (): void => {
    readAt = new Date();
    isFailing = false;
    outage.succeeded();
  };
  const time = (date: Date | null | undefined) => (date ? [{ labels: {}, value: date.getTime() / 1_000 }] : []);
  const gauges = [
    readGauge("supergraph", () => (present ? [{ labels: { hash: present.hash }, value: 1 }] : [])),
    readGauge("supergraphSince", () => time(present?.since)),
    readGauge("supergraphRead", () => time(readAt)),
  ];
  return {
    used(hash) {
      if (hash !== present?.hash) logger.info({ hash }, `the supergraph ${hash} is answered`);
      present = { hash, since: hash === present?.hash ? present.since : new Date() };
      read();
    },
    read,
    failed(error) {
      failures.add();
      const reason = messageOf(error);
      if (isFailing && reason !== lastReason) logger.warn({ reason }, `${subject} fails for another reason: ${reason}`);
      isFailing = true;
      lastReason = reason;
      outage.failed({}, reason);
    },
    forget() {
      present = null;
      readAt = null;
      isFailing = false;
    },
    isFailing: () => isFailing,
    status() {
      if (!present && !isFailing) return null;
      return {
        ...(present && { hash: present.hash, since: present.since.toISOString() }),
        ...(isFailing && { warning: WARNING }),
      };
    },
    [Symbol.dispose]() {
      for (const gauge of gauges) gauge[Symbol.dispose]();
    },
  };
}
