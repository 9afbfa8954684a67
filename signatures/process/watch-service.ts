import type { Clock } from "../clock.ts";
import type { ServiceProcess } from "./service-process.ts";

/** Far more than a start takes, also if the machine is busy. */
const START_TIMEOUT_MS = 60_000;
const PING_INTERVAL_MS = 5_000;
/** Unanswered pings are counted instead of the time, because time also passes while this process is stopped or busy. */
const MAX_UNANSWERED = 4;

/** A watched process. Disposing it ends the watch. */
export interface WatchedService extends Disposable {
  /** Why the process was killed; null if it was not. */
  reason(): string | null;
}

/** Kills a process that does not start, or that hangs. */
export function watchService(service: ServiceProcess, after: Clock["after"]): WatchedService {
  let reason: string | null = null;
  let unanswered = 0;
  const kill = (why: string) => {
    reason = `killed: ${why}`;
    service.kill();
  };
  let cancel = after(START_TIMEOUT_MS, () => kill(`it did not start in ${START_TIMEOUT_MS / 1_000} s`));
  const check = () => {
    if (unanswered === MAX_UNANSWERED)
      return kill(`it has not answered for ${(MAX_UNANSWERED * PING_INTERVAL_MS) / 1_000} s`);
    unanswered++;
    void service.ping().then(() => {
      unanswered = 0;
    });
    cancel = after(PING_INTERVAL_MS, check);
  };
  let isOver = false;
  void service.listening.then(() => {
    if (isOver || reason !== null) return;
    cancel();
    check();
  });
  return {
    reason: () => reason,
    [Symbol.dispose]() {
      isOver = true;
      cancel();
    },
  };
}
