import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Config } from "../../core/config/config-schema.ts";
import { bundledCommand } from "../support/bundled.ts";

/** A process that can run the indexer and can be killed. */
export interface KillableIndexer extends AsyncDisposable {
  /** Starts the indexing; until then the process has only loaded its modules. */
  begin(config: Config): void;
  /** Sends SIGKILL and waits for the end of the process. */
  kill(): Promise<void>;
}

/** Starts the process, which is ready after half a second. */
export async function startKillableIndexer(): Promise<KillableIndexer> {
  const child = spawn(process.execPath, bundledCommand("test/live/indexer-process.ts"), {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const kill = () => killed(child);
  return {
    begin: (config) => void child.stdin.write(`${JSON.stringify(config)}\n`),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
