import { spawn } from "node:child_process";
import { once } from "node:events";
import { bundled } from "../bundled.ts";
import type { ExporterProcessOptions } from "./exporter-process.ts";

/** A process that can run the exporter and can be killed. */
export interface KillableExporter extends AsyncDisposable {
  /** Starts the exporter; until then the process has only loaded its modules. */
  begin(options: ExporterProcessOptions): void;
  /** Sends SIGKILL and waits for the end of the process. */
  kill(): Promise<void>;
}

export async function startKillableExporter(): Promise<KillableExporter> {
  const file = bundled("test/support/exports/exporter-process.ts");
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "ignore", "inherit"] });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  return {
    begin: (options) => void child.stdin.write(`${JSON.stringify(options)}\n`),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
