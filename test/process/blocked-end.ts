import { openSession } from "../../core/database/postgres/connect.ts";
import { startEmbeddedPostgres } from "../../core/embedded-postgres/embedded-postgres.ts";
import { runUntilSignal } from "../../core/processes/process.ts";

// Starts an embedded server, and holds a session open that never ends. SIGUSR2 is a bug that ends the process.
const [directory = ""] = process.argv.slice(2);

await runUntilSignal(async (stack) => {
  const server = stack.use(await startEmbeddedPostgres(directory, stack.signal));
  await openSession(server.url);
  stack.use({ [Symbol.asyncDispose]: () => new Promise<void>(() => {}) });
  // The process is ended 15 seconds after this time.
  stack.drainWithin(-14_000);
  process.on("SIGUSR2", () => {
    throw new Error("a bug");
  });
  console.log("started");
});
