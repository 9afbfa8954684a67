import { once } from "node:events";
import { createLogger } from "../../core/logger.ts";
import { runUntilSignal } from "../../core/process.ts";
import { startService } from "../service/service.ts";
import { END_TIMEOUT_MS, type Listening, type ServiceInput } from "./service-process.ts";

/** Runs the signature service for the process that has forked this one, until that process disconnects or is gone. */
await runUntilSignal(async (stack) => {
  const end = () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), END_TIMEOUT_MS).unref();
  };
  if (process.connected) process.once("disconnect", end);
  else end();
  const [input] = (await once(process, "message", { signal: stack.signal })) as [ServiceInput];
  const { config, databaseUrl, addresses, logLevel } = input;
  const logger = createLogger(logLevel);
  const service = stack.use(await startService({ config, databaseUrl, addresses, host: "127.0.0.1", port: 0, logger }));
  const listening: Listening = { port: service.port };
  process.send?.(listening);
});
