import { runWorker } from "../process/run-worker.ts";
import { startRecordedValidators } from "./recorded-validators.ts";
import type { DemoServiceInput } from "./start-demo-service.ts";

/** Runs the signature service together with the validators that it asks. */
await runWorker<DemoServiceInput>(async ({ recorded }, stack) => {
  const validators = stack.use(await startRecordedValidators(recorded));
  return validators.addresses;
});
