import { type GenericBar, SingleBar } from "cli-progress";
import type { WatchedOperation } from "./graph.ts";

/**
 * Shows the progress of an export on standard error: lines, and a bar once the rows are counted. Disposing it restores the
 * terminal; then it shows nothing more.
 */
export interface ProgressDisplay extends Disposable {
  print(line: string): void;
  showRows(operation: Pick<WatchedOperation, "startedAtTimestamp" | "progress">): void;
  showDownload(bytes: number, totalBytes: number): void;
}

type Phase = "rows" | "download";

const FORMATS: Readonly<Record<Phase, string>> = {
  rows: "export   {bar} {percentage} %  {value}/{total} rows{left}",
  download: "download {bar} {percentage} %  {value}/{total} bytes",
};

export function createProgressDisplay(): ProgressDisplay {
  let bar: GenericBar | null = null;
  let current: Phase | null = null;
  let isDisposed = false;
  let lastLine = "";
  const print = (line: string) => {
    if (!isDisposed && line !== lastLine) console.error(line);
    lastLine = line;
  };
  const show = (phase: Phase, total: number, value: number, left = "") => {
    if (isDisposed) return;
    if (phase !== current) {
      bar?.stop();
      bar = createBar(phase);
      bar.start(total, 0, { left });
      current = phase;
    }
    bar?.update(value, { left });
  };
  return {
    print,
    showRows({ startedAtTimestamp, progress: { rows, totalRows, etaSeconds } }) {
      if (startedAtTimestamp === null) return print("waiting for a worker");
      if (totalRows === null) return print("counting rows");
      show("rows", Number(totalRows), Number(rows), etaSeconds === null ? "" : `  ${Math.ceil(etaSeconds)} s left`);
    },
    showDownload: (bytes, totalBytes) => show("download", totalBytes, bytes),
    [Symbol.dispose]() {
      isDisposed = true;
      bar?.stop();
    },
  };
}

/** Without a terminal, the bar prints a line every few seconds. The command itself stops the bar on SIGINT and SIGTERM. */
function createBar(phase: Phase): SingleBar {
  return new SingleBar({
    format: FORMATS[phase],
    noTTYOutput: true,
    notTTYSchedule: 5_000,
    hideCursor: true,
    gracefulExit: false,
  });
}
