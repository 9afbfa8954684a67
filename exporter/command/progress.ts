import { type GenericBar, SingleBar } from "cli-progress";
import type { WatchedOperation } from "./graph.ts";

/** The progress of an export on the terminal. Writes to standard error; without a terminal, one line for each phase. */
export interface ProgressBar extends Disposable {
  showRows(progress: WatchedOperation["progress"]): void;
  showDownload(bytes: number, totalBytes: number): void;
}

type Phase = "rows" | "download";

const FORMATS: Readonly<Record<Phase, string>> = {
  rows: "export   {bar} {percentage} %  {value}/{total} rows{left}",
  download: "download {bar} {percentage} %  {value}/{total} bytes",
};

export function createProgressBar(): ProgressBar {
  let bar: GenericBar | null = null;
  let current: Phase | null = null;
  const barOf = (phase: Phase, total: number): GenericBar => {
    if (bar && phase === current) return bar;
    bar?.stop();
    current = phase;
    bar = new SingleBar({ format: FORMATS[phase], noTTYOutput: true, notTTYSchedule: 5_000, hideCursor: true });
    bar.start(total, 0, { left: "" });
    return bar;
  };
  return {
    showRows({ rows, totalRows, etaSeconds }) {
      if (totalRows === null) return;
      barOf("rows", Number(totalRows)).update(Number(rows), {
        left: etaSeconds === null ? "" : `  ${etaSeconds} s left`,
      });
    },
    showDownload: (bytes, totalBytes) => barOf("download", totalBytes).update(bytes),
    [Symbol.dispose]: () => bar?.stop(),
  };
}
