import type { Logger } from "../core/observability/logger.ts";
import type { LoggedIds, ProgressState } from "./shared/progress.ts";

const BAR_WIDTH = 20;
const TTY_INTERVAL_MS = 200;
const LOG_INTERVAL_MS = 5_000;

/** The members of `process.stdout` that `showProgress` uses. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** The progress of a chain, by its name. */
export interface NamedProgress {
  readonly name: string;
  readonly ids: LoggedIds;
  readonly current: ProgressState;
}

/**
 * Shows the progress of chains that catch up: on a terminal as one line that is redrawn, else as log lines. Shows nothing for
 * chains that follow the node's head. Stops when it is disposed.
 */
export function showProgress(
  progress: () => readonly NamedProgress[],
  terminal: Terminal,
  logger: Logger,
  logIntervalMs = LOG_INTERVAL_MS,
): Disposable {
  let isShown = false;
  const draw = () => {
    const line = progress().filter(isCatchingUp).map(lineOf).join("   ");
    if (line || isShown) terminal.write(`\r\x1b[2K${line.slice(0, (terminal.columns ?? 80) - 1)}`);
    isShown = line !== "";
  };
  const log = () => {
    for (const { name, ids, current } of progress().filter(isCatchingUp))
      logger.info({ name, ...ids, ...current, secondsLeft: secondsLeft(current) }, "catching up");
  };
  const timer = terminal.isTTY ? setInterval(draw, TTY_INTERVAL_MS) : setInterval(log, logIntervalMs);
  timer.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      if (isShown) terminal.write("\r\x1b[2K");
    },
  };
}

function isCatchingUp({ current }: NamedProgress): boolean {
  return (
    current.state === "BACKFILLING" && current.nodeBlockNumber !== null && current.blockNumber < current.nodeBlockNumber
  );
}

/** Null if the rate or the node's head is not known. */
function secondsLeft({ nodeBlockNumber, blockNumber, blocksPerSecond }: ProgressState): number | null {
  return nodeBlockNumber === null || blocksPerSecond <= 0
    ? null
    : Math.ceil((nodeBlockNumber - blockNumber) / blocksPerSecond);
}

/** One chain's progress bar: `C-Chain ████████░░░░ 40 % 400/1,000 · 120 blocks/s · 5 s left`. */
function lineOf({ name, current }: NamedProgress): string {
  const head = current.nodeBlockNumber ?? 0;
  const share = head > 0 ? Math.min(1, Math.max(0, current.blockNumber / head)) : 0;
  const filled = Math.floor(share * BAR_WIDTH);
  const left = secondsLeft(current);
  const parts = [
    `${name} ${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${Math.floor(share * 100)} %`,
    `${Math.max(0, current.blockNumber).toLocaleString("en")}/${head.toLocaleString("en")}`,
  ];
  const rate =
    left === null
      ? ""
      : ` · ${Math.round(current.blocksPerSecond).toLocaleString("en")} blocks/s · ${duration(left)} left`;
  return parts.join(" ") + rate;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60).toLocaleString("en")} h`;
}
