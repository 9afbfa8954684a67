import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Config } from "../../core/config/config-schema.ts";
import { includeMetricsOf } from "../../core/observability/forked-metrics.ts";
import { type EndableProcess, forkProcess } from "../../core/processes/child-process.ts";

/** What a service process needs. It is sent to the process, because other users can read command lines. */
export interface ServiceInput {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logLevel: string;
}

/** The service process sends this when it listens. */
export interface Listening {
  readonly port: number;
}

/** A message to a service process that listens. The process sends it back. */
export const PING = "ping";

export interface ServiceProcess extends EndableProcess {
  readonly pid: number | undefined;
  /** Resolves with the port when the process listens; never if it ends before. */
  readonly listening: Promise<number>;
  /** Asks the process, which must listen, for an answer. Resolves when there is one; never if there is none. */
  ping(): Promise<unknown>;
  /** Ends the process at once, also if it hangs. */
  kill(): void;
}

/** A process that takes longer to end is killed. */
export const END_TIMEOUT_MS = 4_000;

/** A young generation of at most 24 MB (by default 48 MB), as in the indexer's process: memory that the service would keep at rest. */
const OPTIONS = ["--max-semi-space-size=8"];
const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/** `script` is the one to run: it calls `runWorker`. */
export function forkService<Input extends ServiceInput>(input: Input, script = SCRIPT): ServiceProcess {
  const { child, ended, send, end } = forkProcess({ script, nodeOptions: OPTIONS, endTimeoutMs: END_TIMEOUT_MS });
  send(input);
  includeMetricsOf(child);
  return {
    pid: child.pid,
    listening: messageOf(child, isListening).then(({ port }) => port),
    ended,
    ping() {
      const answered = messageOf(child, (message): message is typeof PING => message === PING);
      send(PING);
      return answered;
    },
    kill: () => void child.kill("SIGKILL"),
    end,
  };
}

function isListening(message: unknown): message is Listening {
  return typeof message === "object" && message !== null && "port" in message;
}

/** The next message of a kind; never if there is none. */
function messageOf<Message>(child: ChildProcess, isOne: (message: unknown) => message is Message): Promise<Message> {
  return new Promise((resolve) => {
    const onMessage = (message: unknown) => {
      if (!isOne(message)) return;
      child.off("message", onMessage);
      resolve(message);
    };
    child.on("message", onMessage);
  });
}
