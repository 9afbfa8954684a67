import { once } from "node:events";
import { createLogger } from "../../core/logger.ts";
import { runUntilSignal } from "../../core/process.ts";
import type { RecordedNetwork } from "../demo/recorded-contents.ts";
import type { RecordedValidators } from "../demo/recorded-validators.ts";
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
  const { config, databaseUrl, recorded, logLevel } = input;
  const logger = createLogger(logLevel);
  const validators = recorded ? stack.use(await simulateValidators(recorded)) : null;
  const addresses = validators?.addresses ?? [];
  const service = stack.use(await startService({ config, databaseUrl, addresses, host: "127.0.0.1", port: 0, logger }));
  const listening: Listening = { port: service.port };
  process.send?.(listening);
});

/** Only the demo loads the simulated validators. */
async function simulateValidators(recorded: RecordedNetwork): Promise<RecordedValidators> {
  const { startRecordedValidators } = await import("../demo/recorded-validators.ts");
  return startRecordedValidators(recorded);
}
