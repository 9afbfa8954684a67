import { createLogger } from "../../core/observability/logger.ts";
import { runForked } from "../../core/processes/child-process.ts";
import type { Stack } from "../../core/processes/process.ts";
import { startForkedObservability } from "../../core/processes/start.ts";
import { startService } from "../service/service.ts";
import type { GivenAddress } from "../service/source.ts";
import { END_TIMEOUT_MS, type Listening, PING, type ServiceInput } from "./service-process.ts";

/**
 * Runs the signature service for the process that has forked this one, until that process disconnects or is gone. `prepare` opens
 * what else the service needs, and returns addresses of validators that are used in addition to those of the settings.
 */
export function runWorker<Input extends ServiceInput>(
  prepare: (input: Input, stack: Stack) => Promise<readonly GivenAddress[]>,
): Promise<void> {
  return runForked<Input>(async (input, stack) => {
    const addresses = await prepare(input, stack);
    const { config, databaseUrl, logLevel } = input;
    const logger = createLogger(logLevel);
    stack.use(await startForkedObservability(config, "signatures", logger));
    const options = { config, databaseUrl, addresses, host: "127.0.0.1", port: 0, logger };
    const service = stack.use(await startService(options));
    const listening: Listening = { port: service.port };
    // If the other process is gone, this one ends too.
    const send = (message: Listening | typeof PING) => process.send?.(message, undefined, undefined, () => {});
    process.on("message", (message) => message === PING && send(PING));
    send(listening);
  }, END_TIMEOUT_MS);
}
