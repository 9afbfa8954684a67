import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../core/config/config-schema.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { recordedContents } from "../../../recordings/recorded-contents.ts";
import { ALPHA, startReplayNode } from "../../../recordings/replay-node.ts";
import { readValidatorKeys } from "../../../recordings/validator-keys.ts";
import { startRecordedValidators } from "../../../signatures/demo/recorded-validators.ts";
import { startService } from "../../../signatures/service/service.ts";

export interface ServedSignatures extends AsyncDisposable {
  /** Base URL of the signature service. */
  readonly url: string;
}

/**
 * Starts the signature service over a database of the recording alpha. It asks simulated validators that hold the keys of the
 * recorded ones and sign only what the recorded chains contain.
 */
export async function serveSignatures(databaseUrl: string, config: Config): Promise<ServedSignatures> {
  await using node = await startReplayNode({ heads: "full" });
  const validators = await startRecordedValidators({
    contents: recordedContents(node),
    validators: readValidatorKeys(ALPHA),
  });
  const dataDirectory = mkdtempSync(join(tmpdir(), "moraine-signatures-"));
  const { networkID: networkId } = node.recording.manifest;
  const service = await startService({
    config: { ...config, dataDirectory },
    databaseUrl,
    host: "127.0.0.1",
    port: 0,
    addresses: validators.addresses.map((address) => ({ ...address, networkId })),
    logger: createLogger("silent"),
  });
  return {
    url: `http://127.0.0.1:${service.port}`,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await validators[Symbol.asyncDispose]();
      rmSync(dataDirectory, { recursive: true });
    },
  };
}
