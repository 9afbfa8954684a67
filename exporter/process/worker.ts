import { once } from "node:events";
import { createLogger } from "../../core/logger.ts";
import { startTracing } from "../../core/observability/start.ts";
import { runUntilSignal } from "../../core/process.ts";
import { startExporter } from "../exporter.ts";
import { END_TIMEOUT_MS, type WorkerInput } from "./worker-process.ts";

/** Runs export jobs for the process that has forked this one, until that process disconnects or is gone. */
await runUntilSignal(async (stack) => {
  const end = () => {
    process.kill(process.pid, "SIGTERM");
    setTimeout(() => process.exit(1), END_TIMEOUT_MS).unref();
  };
  if (process.connected) process.once("disconnect", end);
  else end();
  const [input] = (await once(process, "message", { signal: stack.signal })) as [WorkerInput];
  const { config, databaseUrl, logLevel, timings } = input;
  const logger = createLogger(logLevel);
  stack.use(await startTracing(config.observability, "exporter", logger));
  stack.use(startExporter({ config, databaseUrl, logger, timings }));
});
