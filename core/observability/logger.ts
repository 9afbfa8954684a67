import { createRequire } from "node:module";
import { isatty } from "node:tty";
import pino, { type DestinationStream } from "pino";
import type { PinoPretty } from "pino-pretty";
import { ExpectedError } from "../errors/expected-error.ts";
import { isOutage } from "../errors/outage.ts";
import { withoutCredentials } from "../errors/redaction.ts";
import { logFields } from "./request-id.ts";

export type Logger = pino.Logger;

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/**
 * Erases what is at the cursor and below it. The progress of chains stands there (`showProgress`), and any process may log meanwhile.
 */
export const ERASE_BELOW = "\r\x1b[J";

/** Lines that cannot be written are kept up to this size, and dropped above it. */
const MAX_HELD_BYTES = 1 << 20;

/** Writes a message to standard output for the person who runs the command, in place of the progress of chains. */
export function printLine(text: string): void {
  console.log(isatty(STANDARD_OUTPUT) ? `${ERASE_BELOW}${text}` : text);
}

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
 * lost one, with its parameters, its statements and the key that cancels them. Only errors that may be bugs have a stack.
 */
function plainError(error: unknown): unknown {
  if (Object(error) !== error) return error;
  const serialized = pino.stdSerializers.err(error as Error);
  // What was thrown need not be an error.
  if (Object.is(serialized, error)) return "an object that is not an error";
  const { aggregateErrors, stack, ...members } = serialized;
  const { errors, extensions } = error as {
    readonly errors?: unknown;
    readonly extensions?: { readonly code?: unknown };
  };
  const plain = Object.entries(members).filter(([, value]) => Object(value) !== value);
  return {
    ...(typeof extensions?.code === "string" ? { code: extensions.code } : {}),
    ...Object.fromEntries(plain),
    ...(isOutage(error) || error instanceof ExpectedError ? {} : { stack }),
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

/** Names of chains in lines that people read, by the ids in the lines. */
const names = new Map<string, string>();

/** Gives the chain of these ids a name, by which log lines on a terminal call it. */
export function nameInLogs(ids: Subject, name: string): void {
  names.set(subjectKey(ids), name);
}

/** The members of a log line that say which chain it is about. */
interface Subject {
  readonly chainId?: string;
  readonly networkId?: string;
  readonly chain?: string;
}

function subjectKey({ chainId = "", networkId = "", chain = "" }: Subject): string {
  return `${chainId}/${networkId}/${chain}`;
}

function nameOfSubject(ids: Subject): string | null {
  const { chainId, networkId, chain } = ids;
  if (chainId === undefined && networkId === undefined) return null;
  return names.get(subjectKey(ids)) ?? (chainId ? `chain ${chainId}` : `${chain ?? "network"} ${networkId}`);
}

/** The formatter is loaded only for a terminal: it would delay every start. */
function readable(stream: DestinationStream, colorize: boolean): DestinationStream {
  const { prettyFactory } = createRequire(import.meta.url)("pino-pretty") as typeof PinoPretty;
  const format = prettyFactory({ colorize, singleLine: true, translateTime: "SYS:yyyy-mm-dd HH:MM:ss.l o" });
  return { write: (line) => stream.write(ERASE_BELOW + format(forPeople(JSON.parse(line)))) };
}

/** A line with the name of its chain in place of ids, and without fields that are unknown or part of its message. */
function forPeople(line: Record<string, unknown>): object {
  // The message says what the state and the name of a chain are.
  const { level, time, msg, err, chainId, networkId, chain, state: _state, name: _name, ...fields } = line;
  const subject = nameOfSubject({ chainId, networkId, chain } as Subject);
  const told = Object.entries(fields).filter(([, value]) => value !== null && !String(msg).includes(String(value)));
  const tail = told.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = `${subject === null ? "" : `${subject}: `}${String(msg)}${tail.length > 0 ? ` (${tail.join(", ")})` : ""}`;
  const { stack, message } = (err ?? {}) as { readonly stack?: string; readonly message?: string };
  if (stack !== undefined) return { level, time, msg: text, err };
  return { level, time, msg: message === undefined || text.includes(message) ? text : `${text}: ${message}` };
}
