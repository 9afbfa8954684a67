import { rmSync } from "node:fs";

/** Stops the server of the run; sessions that a test forgot do not keep it. */
export default async function stopServer(): Promise<void> {
  await globalThis.moraineTestServer?.[Symbol.asyncDispose]();
  if (globalThis.moraineTestDirectory) rmSync(globalThis.moraineTestDirectory, { recursive: true, force: true });
}
