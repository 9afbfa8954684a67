import { readFileSync } from "node:fs";

const CHECK_INTERVAL_MS = 500;
const SHELLS = /^(sh|ash|bash|busybox|dash|ksh|zsh)$/;

/**
 * Calls `onEnd` once when the npm that started this process has ended, or the shell between them: npm does not forward
 * every signal, and a shell forwards none. Does nothing if npm did not start this process.
 */
export function watchParent(onEnd: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  // Where the parent is a shell, npm is the shell's parent.
  const npm = SHELLS.test(statusOf(parent)?.command ?? "") ? statusOf(parent)?.parent : undefined;
  const timer = setInterval(() => {
    const isParentRunning = process.ppid === parent;
    const isNpmRunning = npm === undefined || statusOf(parent)?.parent === npm;
    if (isParentRunning && isNpmRunning) return;
    clearInterval(timer);
    onEnd();
  }, CHECK_INTERVAL_MS);
  timer.unref();
}

/** Command name and parent of a process. Null where there is no `/proc`, or no such process. */
function statusOf(pid: number): { readonly command: string; readonly parent: number } | null {
  try {
    const [, command = "", parent] = /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return { command, parent: Number(parent) };
  } catch {
    return null;
  }
}
