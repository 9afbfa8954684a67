import { once } from "node:events";
import { drainMs } from "../../core/http/server.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { runForked } from "../../core/processes/child-process.ts";
import { exchangeQuestions } from "../../core/processes/questions.ts";
import { startForkedObservability } from "../../core/processes/start.ts";
import { startApi } from "./api.ts";
import {
  type ApiInput,
  END_TIMEOUT_MS,
  type Listening,
  LOADED,
  type Replace,
  SIGNATURE_SERVICE,
} from "./api-processes.ts";

/** Runs an API beside others on the same ports, for the process that has forked this one. */
const running = runForked<ApiInput>(async ({ config, databaseUrl, label, hasSignatures, logLevel }, stack) => {
  const logger = createLogger(logLevel);
  stack.drainWithin(drainMs(config.shutdown));
  stack.use(await startForkedObservability(config, label, logger));
  const questions = exchangeQuestions(process, (question) => api.replace((question as Replace).replace));
  const signatureServiceUrl = async (wait?: AbortSignal): Promise<string | null> => {
    const url = questions.ask(SIGNATURE_SERVICE) as Promise<string | null>;
    return wait ? Promise.race([url, aborted(wait)]) : url;
  };
  const { signal } = stack;
  const deps = { config, databaseUrl, logger, signal };
  const api = stack.use(await startApi({ ...deps, signatureServiceUrl: hasSignatures ? signatureServiceUrl : null }));
  const { port, metricsPort } = api;
  process.send?.({ listening: { port, metricsPort } } satisfies Listening);
}, END_TIMEOUT_MS);
process.send?.(LOADED);
await running;

/** Resolves with null when the signal is aborted. */
async function aborted(signal: AbortSignal): Promise<null> {
  if (!signal.aborted) await once(signal, "abort");
  return null;
}
