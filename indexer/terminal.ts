import { ERASE_BELOW, type Logger } from "../core/observability/logger.ts";
import type { LoggedIds, ProgressState } from "./shared/progress.ts";

const MAX_BAR_WIDTH = 20;
/** Narrower bars say nothing, and are left out. */
const MIN_BAR_WIDTH = 4;
const MAX_NAME_WIDTH = 20;
const TTY_INTERVAL_MS = 200;
/** Chains that do not catch up are drawn again only after so many intervals. */
const QUIET_INTERVALS = 5;
const LOG_INTERVAL_MS = 5_000;

/** The members of `process.stdout` that `showProgress` uses. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** The progress of a chain, by its name. */
export interface NamedProgress {
  readonly name: string;
  readonly ids: LoggedIds;
  readonly current: ProgressState;
}

/**
 * Shows the progress of chains: on a terminal as one line for each chain, which is drawn again, else as log lines about chains that catch
 * up. The cursor stays where the lines begin, so whatever is printed next takes their place and they are drawn below it. Stops when it
 * is disposed.
 */
export function showProgress(
  progress: () => readonly NamedProgress[],
  terminal: Terminal,
  logger: Logger,
  logIntervalMs = LOG_INTERVAL_MS,
): Disposable {
  let isShown = false;
  let intervals = 0;
  const draw = () => {
    const chains = progress();
    if (intervals++ % QUIET_INTERVALS > 0 && !chains.some(isCatchingUp)) return;
    const lines = linesOf(chains, terminal);
    const back = lines.length > 1 ? `\x1b[${lines.length - 1}A\r` : "\r";
    if (lines.length > 0 || isShown) terminal.write(`${ERASE_BELOW}${lines.join("\n")}${back}`);
    isShown = lines.length > 0;
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
      if (isShown) terminal.write(ERASE_BELOW);
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

/** One line for each chain, none wider than the terminal. If it has fewer rows, chains at their heads are left out first. */
function linesOf(chains: readonly NamedProgress[], { columns = 80, rows = 24 }: Terminal): string[] {
  // The last column stays free: a character in it may move the cursor to the next line. So does the row of the last log line.
  const width = columns - 1;
  const places = Math.max(1, rows - 2);
  const order = chains.length <= places ? chains : chains.toSorted((a, b) => Number(isAtHead(a)) - Number(isAtHead(b)));
  const shown = order.slice(0, chains.length <= places ? places : places - 1);
  const nameWidth = Math.min(MAX_NAME_WIDTH, Math.max(...shown.map(({ name }) => name.length)));
  const lines = shown.map((chain) =>
    cut(`${cut(chain.name, nameWidth).padEnd(nameWidth)}  ${stateOf(chain, width - nameWidth - 2)}`, width),
  );
  const left = chains.length - shown.length;
  return left === 0 ? lines : [...lines, cut(`… and ${left} more chains`, width)];
}

function isAtHead({ current }: NamedProgress): boolean {
  return current.state === "FOLLOWING";
}

/** `████░░░░ 40 % 400/1,000 · 120/s · 5 s left`, in blocks, `block 1,000, the node's head`, or why the chain waits. */
function stateOf(chain: NamedProgress, width: number): string {
  const { state, reason, nodeBlockNumber, blockNumber, blocksPerSecond } = chain.current;
  const block = Math.max(0, blockNumber).toLocaleString("en");
  if (state === "WAITING" || state === "STOPPED")
    return `${state === "WAITING" ? "waits" : "has stopped"} at block ${block}: ${reason ?? "no reason is known"}`;
  if (!isCatchingUp(chain)) return nodeBlockNumber === null ? "starts" : `block ${block}, the node's head`;
  const head = nodeBlockNumber ?? 0;
  const share = head > 0 ? Math.min(1, Math.max(0, blockNumber / head)) : 0;
  const left = secondsLeft(chain.current);
  const rate = left === null ? "" : ` · ${Math.round(blocksPerSecond).toLocaleString("en")}/s · ${duration(left)} left`;
  const numbers = `${Math.floor(share * 100)} % ${block}/${head.toLocaleString("en")}${rate}`;
  const bar = Math.min(MAX_BAR_WIDTH, width - numbers.length - 1);
  if (bar < MIN_BAR_WIDTH) return numbers;
  const filled = Math.floor(share * bar);
  return `${"█".repeat(filled)}${"░".repeat(bar - filled)} ${numbers}`;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}

function duration(seconds: number): string {
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.round(minutes / 60).toLocaleString("en")} h`;
}
