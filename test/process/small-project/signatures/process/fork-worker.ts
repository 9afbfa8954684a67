import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

export class Refusal extends Error {}

export function forkWorker(): void {
  fork(SCRIPT);
}
