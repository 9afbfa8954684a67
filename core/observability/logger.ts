import { createRequire } from "node:module";
import { isatty } from "node:tty";
import pino, { type DestinationStream } from "pino";
import type { PinoPretty } from "pino-pretty";
import { withoutCredentials } from "../errors/redaction.ts";
import { logFields } from "./request-id.ts";

export type Logger = pino.Logger;

const STANDARD_ERROR = 2;

/** Lines that cannot be written are kept up to this size, and dropped above it. */
const MAX_HELD_BYTES = 1 << 20;

export interface LoggerOutput {
  /** True if people read the lines. Default: standard error is a terminal. */
  readonly isTerminal?: boolean;
  /** Default: standard error. */
  readonly stream?: DestinationStream;
}

/**
 * Writes log lines to standard error: readable text on a terminal, JSON elsewhere. A line that is written for a request has the
 * request's id. Standard output is for messages to the person who runs the command.
 */
export function createLogger(level: string, output: LoggerOutput = {}): Logger {
  const { isTerminal = isatty(STANDARD_ERROR), stream = standardError() } = output;
  // Errors of libraries may repeat a URL with a password.
  const safe = { write: (line: string) => stream.write(withoutCredentials(line)) };
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: withTextIds },
      mixin: logFields,
      serializers: { err: plainError },
    },
    isTerminal ? readable(safe, output.stream === undefined && !process.env["NO_COLOR"]) : safe,
  );
}

/** Lines that cannot be written, because the terminal is gone or the disk is full, are lost or late, but do not end the process. */
function standardError(): DestinationStream {
  const destination = pino.destination({ fd: STANDARD_ERROR, sync: true, maxLength: MAX_HELD_BYTES });
  destination.on("error", ({ code }: NodeJS.ErrnoException) => {
    // A terminal that is gone does not come back, and the destination would keep all further lines.
    if (code === "EIO") destination.write = () => true;
  });
  return destination;
}

/**
 * An error without its members that are objects, apart from the code of a GraphQL error. `pg` attaches the connection to the error of a
 * lost one, with its parameters, its statements and the key that cancels them.
 */
function plainError(error: unknown): unknown {
  if (Object(error) !== error) return error;
  const serialized = pino.stdSerializers.err(error as Error);
  // What was thrown need not be an error.
  if (Object.is(serialized, error)) return "an object that is not an error";
  const { aggregateErrors, ...members } = serialized;
  const { errors, extensions } = error as {
    readonly errors?: unknown;
    readonly extensions?: { readonly code?: unknown };
  };
  const plain = Object.entries(members).filter(([, value]) => Object(value) !== value);
  return {
    ...(typeof extensions?.code === "string" ? { code: extensions.code } : {}),
    ...Object.fromEntries(plain),
    ...(aggregateErrors && Array.isArray(errors) ? { aggregateErrors: errors.map(plainError) } : {}),
  };
}

/** Ids in log lines are texts, so that a search finds them all. In the settings they are numbers. Not called for `child`. */
function withTextIds(line: Record<string, unknown>): Record<string, unknown> {
  const { chainId, networkId } = line;
  if (typeof chainId !== "number" && typeof networkId !== "number") return line;
  return {
    ...line,
    ...(typeof chainId === "number" ? { chainId: String(chainId) } : {}),
    ...(typeof networkId === "number" ? { networkId: String(networkId) } : {}),
  };
}

/** Any process may log while the progress of chains is the last line of the terminal, without an end. */
const ERASE_LINE = "\r\x1b[2K";

/** The formatter is loaded only for a terminal: it would delay every start. */
function readable(stream: DestinationStream, colorize: boolean): DestinationStream {
  const { prettyFactory } = createRequire(import.meta.url)("pino-pretty") as typeof PinoPretty;
  const format = prettyFactory({ colorize, singleLine: true, translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => stream.write(ERASE_LINE + format(line)) };
}
