import type { Clock } from "../../clock.ts";

export interface KeepAlive {
  /** Says that a message has arrived. */
  heard(): void;
  stop(): void;
}

export interface KeepAliveOptions {
  readonly clock: Clock;
  readonly pingMs: number;
  readonly silenceMs: number;
  readonly sendPing: () => void;
  /** Called if no message has arrived for `silenceMs`. */
  readonly onSilence: () => void;
}

/** Sends pings, and notices when a peer is silent. One timer serves both, so that a message costs no timer. */
export function startKeepAlive({ clock, pingMs, silenceMs, sendPing, onSilence }: KeepAliveOptions): KeepAlive {
  let heardAtMs = clock.nowMs();
  let pingAtMs = heardAtMs + pingMs;
  let cancel = () => {};
  const schedule = () => {
    const nextMs = Math.min(pingAtMs, heardAtMs + silenceMs);
    cancel = clock.after(Math.max(0, nextMs - clock.nowMs()), check);
  };
  const check = () => {
    const nowMs = clock.nowMs();
    if (nowMs >= heardAtMs + silenceMs) return onSilence();
    if (nowMs >= pingAtMs) {
      pingAtMs = nowMs + pingMs;
      sendPing();
    }
    schedule();
  };
  schedule();
  return {
    heard() {
      heardAtMs = clock.nowMs();
    },
    stop: () => cancel(),
  };
}
