import type { Config } from "../core/config/config-schema.ts";
import { isReadByApiOnly } from "../core/config/reloadable.ts";
import type { Logger } from "../core/observability/logger.ts";
import { type IndexerProcesses, startIndexerProcesses } from "../indexer/process/indexer-processes.ts";
import type { Niceness } from "../indexer/process/niceness.ts";
import type { ReplayNode } from "../recordings/replay-node.ts";
import { startDemoService } from "../signatures/demo/start-demo-service.ts";
import type { KeptService } from "../signatures/process/keep-service.ts";
import { startSignatureService } from "../signatures/process/start-service.ts";
import type { ServiceUrl } from "../signatures/protocol/client.ts";
import { demoValidators, hasDemoValidators } from "./demo.ts";
import { disposeInReverse } from "./dispose-in-reverse.ts";

export interface PartProcessesOptions {
  /** The parts that run: `indexer`, `exporter`, `signatures`. */
  readonly parts: ReadonlySet<string>;
  readonly databaseUrl: string;
  readonly logger: Logger;
  readonly niceness: Niceness;
  /** Ends the processes of the indexer when it is aborted. */
  readonly signal: AbortSignal;
  /** The node of the demo, whose validators the signature service simulates. */
  readonly demoNode?: ReplayNode | undefined;
}

/** The processes that run beside the API. Disposing it ends them. */
export interface PartProcesses extends AsyncDisposable {
  /** Null if the indexer does not run here. */
  readonly indexer: IndexerProcesses | null;
  /** Starts the processes with settings; the indexer only loads its program, and the signature service waits until it is needed. */
  start(config: Config): void;
  /** Starts the indexing and the exports. */
  begin(): Promise<void>;
  /** Ends the processes and starts them with other settings. Does nothing if only the API reads what has changed. */
  replace(config: Config): Promise<void>;
  /** URL of the signature service, which starts when it is needed. Null if it does not run here. */
  readonly signatureServiceUrl: ServiceUrl | null;
}

export function createPartProcesses(options: PartProcessesOptions): PartProcesses {
  const { parts, databaseUrl, logger, niceness, signal } = options;
  const running: AsyncDisposable[] = [];
  let config: Config | null = null;
  let indexer: IndexerProcesses | null = null;
  let signatures: KeptService | null = null;
  const use = <Part extends AsyncDisposable>(part: Part): Part => {
    running.push(part);
    return part;
  };
  const start = (present: Config): void => {
    config = present;
    indexer = parts.has("indexer")
      ? use(startIndexerProcesses({ config, databaseUrl, logger, niceness, signal }))
      : null;
    signatures = parts.has("signatures") ? signatureService(present, options) : null;
    if (signatures) use(signatures);
  };
  const begin = async (): Promise<void> => {
    indexer?.begin();
    if (!parts.has("exporter") || !config?.exports.isOn) return;
    const { startExporterProcess } = await import("../exporter/process/exporter-process.ts");
    use(startExporterProcess({ config, databaseUrl, logger }));
  };
  return {
    get indexer() {
      return indexer;
    },
    start,
    begin,
    async replace(next) {
      if (config && isReadByApiOnly(config, next)) return;
      await disposeInReverse(running);
      signal.throwIfAborted();
      start(next);
      await begin();
    },
    signatureServiceUrl: parts.has("signatures") ? (wait) => signatures?.urlSoon(wait) ?? null : null,
    [Symbol.asyncDispose]: () => disposeInReverse(running),
  };
}

/**
 * The signature service, which starts when it is needed. Null if the settings name one or switch it off. In the demo, it also
 * simulates the validators.
 */
function signatureService(config: Config, { databaseUrl, logger, demoNode }: PartProcessesOptions): KeptService | null {
  const { isOn, serviceUrl } = config.signatures;
  if (!isOn || serviceUrl !== undefined) return null;
  const options = { config, databaseUrl, logger };
  return demoNode && hasDemoValidators(demoNode, config)
    ? startDemoService(options, () => demoValidators(demoNode))
    : startSignatureService(options);
}
