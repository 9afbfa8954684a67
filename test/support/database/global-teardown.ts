/** Stops the PostgreSQL server of the run and removes its databases and the bundled scripts. */
export default async function stopServer(): Promise<void> {
  globalThis.moraineRemoveRunFolder?.();
  await globalThis.moraineTestServer?.[Symbol.asyncDispose]();
}
