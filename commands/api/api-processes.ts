import cluster, { type Worker } from "node:cluster";
import { fileURLToPath } from "node:url";
import { ConfigError } from "../../core/config/config.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { drainMs } from "../../core/http/server.ts";
import { includeMetricsOf } from "../../core/observability/forked-metrics.ts";
import { endWithin } from "../../core/processes/child-process.ts";
import { keepRunning } from "../../core/processes/keep-running.ts";
import { exchangeQuestions, type Questions } from "../../core/processes/questions.ts";
import type { ApiOptions, RunningApi } from "./api.ts";

/** What a process of the API needs. It is sent to the process, because other users can read command lines. */
export interface ApiInput {
  readonly config: Config;
  readonly databaseUrl: string;
  /** Name of the process in metrics and traces. */
  readonly label: string;
  /** True if the process that has forked it runs a signature service. */
  readonly hasSignatures: boolean;
  readonly logLevel: string;
}

/** A process of the API sends this when it can receive its input: the channel of `node:cluster` loses earlier messages. */
export const LOADED = "loaded";

/** A process of the API sends this when it answers. */
export interface Listening {
  readonly listening: Pick<RunningApi, "port" | "metricsPort">;
}

/** The question to a process of the API to answer by other settings. */
export interface Replace {
  readonly replace: Config;
}

/** The question of a process of the API for the URL of the signature service. */
export const SIGNATURE_SERVICE = "signature service";

/** A process may take this time to end besides that of the setting `shutdown`. */
export const END_TIMEOUT_MS = 20_000;

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

interface ApiProcess extends AsyncDisposable {
  /** Rejects if the first process ends before it listens. */
  readonly listening: Promise<Listening["listening"]>;
  /** Rejects if the process refuses the settings. Then it answers by the earlier ones. */
  replace(config: Config): Promise<void>;
  /** Replaces the process by one with these settings, after its last requests. */
  restart(config: Config): void;
}

/**
 * Runs the API in several processes that listen on the same ports. Connections go to them in turns (`node:cluster`). If one ends
 * unexpectedly, the others go on, and a new one starts. Rejects if one of them cannot start.
 */
export async function startApiProcesses(options: ApiOptions): Promise<RunningApi> {
  const { config, logger } = options;
  cluster.setupPrimary({
    exec: SCRIPT,
    args: [],
    serialization: "advanced", // the settings contain bigints
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const processes: ApiProcess[] = [];
  const dispose = async () => {
    await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
  };
  const add = (): Promise<Listening["listening"]> => {
    const one = startApiProcess(processes.length + 1, options);
    processes.push(one);
    return one.listening;
  };
  try {
    // The first one finds out whether the settings can be used.
    const listening = await add();
    await Promise.all(Array.from({ length: config.api.processes - 1 }, add));
    return {
      ...listening,
      async replace(next) {
        const [first, ...others] = processes;
        await first?.replace(next);
        for (const one of others)
          await one.replace(next).catch((error: unknown) => {
            logger.error(
              `a process of the API could not read the settings again and is restarted: ${messageOf(error)}`,
            );
            one.restart(next);
          });
        logger.level = next.logLevel;
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** A process that runs. */
interface Run {
  readonly worker: Worker;
  readonly questions: Questions;
  /** The settings that it was given; null before that. */
  config: Config | null;
  isListening: boolean;
}

function startApiProcess(index: number, options: ApiOptions): ApiProcess {
  const { databaseUrl, logger, signatureServiceUrl, signal } = options;
  const label = `api-${index}`;
  const name = `process ${index} of the API`;
  const stop = new AbortController();
  const end = AbortSignal.any([stop.signal, signal]);
  const hasSignatures = signatureServiceUrl !== null;
  let { config } = options;
  let current: Run | null = null;
  /** It answers its last requests before. */
  const endProcess = ({ process: child }: Worker) => endWithin(child, drainMs(config.shutdown) + END_TIMEOUT_MS);
  let hasListened: (listening: Listening["listening"]) => void;
  let hasEnded: (error: Error) => void;
  const listening = new Promise<Listening["listening"]>((resolve, reject) => {
    hasListened = resolve;
    hasEnded = reject;
  });
  const runOnce = async (): Promise<string> => {
    const worker = cluster.fork();
    const questions = exchangeQuestions(worker.process, () => signatureServiceUrl?.() ?? null);
    const run: Run = { worker, questions, config: null, isListening: false };
    current = run;
    worker.on("message", (message: object | typeof LOADED) => {
      if (message === LOADED) {
        run.config = config;
        worker.send({ config, databaseUrl, label, hasSignatures, logLevel: logger.level } satisfies ApiInput);
        // Only the second message may be a request for metrics.
        includeMetricsOf(worker.process);
      } else if (typeof message === "object" && "listening" in message) {
        run.isListening = true;
        hasListened((message as Listening).listening);
      }
    });
    const onEnd = () => endProcess(worker);
    end.addEventListener("abort", onEnd, { once: true });
    const reason = await new Promise<string>((resolve) => {
      worker.once("exit", (code, killed) => resolve(killed ?? `code ${code}`));
    });
    end.removeEventListener("abort", onEnd);
    current = null;
    questions.end(`${name} has ended (${reason})`);
    hasEnded(new ConfigError(`${name} could not start (${reason}): its own lines say why`));
    return reason;
  };
  const running = keepRunning(runOnce, { name, logger, end });
  const restart = (next: Config) => {
    config = next;
    if (current) endProcess(current.worker);
  };
  return {
    listening,
    restart,
    async replace(next) {
      const run = current;
      if (run?.isListening)
        try {
          await run.questions.ask({ replace: next } satisfies Replace);
          run.config = next;
        } catch (error) {
          // If it has ended, the next one is started by the new settings.
          if (current === run) throw error;
        }
      config = next;
      // One that starts has the earlier settings, if it has any.
      if (current?.config && current.config !== next) restart(next);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
