import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Config } from "../../core/config-schema.ts";
import { bundled } from "../support/recorded/bundled.ts";

/** A process that can index, and can be killed. */
export interface KillableIndexer extends AsyncDisposable {
  /** It begins to index; until then it only holds itself ready. */
  begin(config: Config): void;
  /** SIGKILL: it has no chance to tidy up. */
  kill(): Promise<void>;
}

/** Starts the process; it takes half a second until it is ready to begin. */
export async function startKillableIndexer(): Promise<KillableIndexer> {
  const file = await bundled(new URL("./indexer-process.ts", import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "ignore", "inherit"] });
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
