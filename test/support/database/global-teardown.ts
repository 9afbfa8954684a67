import { rmSync } from "node:fs";

/** Stops the PostgreSQL server of the run and removes its files and the bundled scripts. */
export default async function stopServer(): Promise<void> {
  globalThis.moraineRemoveRunFolder?.();
  await globalThis.moraineTestServer?.[Symbol.asyncDispose]();
  if (globalThis.moraineTestDirectory) rmSync(globalThis.moraineTestDirectory, { recursive: true, force: true });
}
