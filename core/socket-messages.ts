import { MessageType } from "graphql-ws";
import type { KeyedLimit } from "./keyed-limit.ts";
import type { KeyedPlaces, ReleasePlace } from "./keyed-places.ts";
import type { SocketGuard } from "./socket-guard.ts";
import type { PacedCalls } from "./yield-to-event-loop.ts";

/** What the connections of a server share. */
export interface MessageOrder {
  /** When connections have more messages than an iteration of the event loop has time for, the others wait here. */
  readonly turns: PacedCalls;
  /** Places of the operations that have no outcome yet, by caller. */
  readonly places: KeyedPlaces;
  /** Bytes of the messages that wait, by caller. Each message counts `MESSAGE_OVERHEAD` more. */
  readonly waitingBytes: KeyedLimit;
}

/** The connection whose messages are handled. */
export interface MessageSource {
  readonly guard: Omit<SocketGuard, "sent">;
  /** The key of its caller in `MessageOrder.places` and `MessageOrder.waitingBytes`. Null before the connection is accepted. */
  caller(): string | null;
  /** Closes the connection, because too many bytes of messages of its caller wait. */
  refuse(): void;
  /** Called with a message that starts no operation and has to wait, before `handle`. */
  notice(message: Buffer): void;
  /** Handles a message. Must call `release` once the operation that it starts has an outcome, or at once if it starts none. */
  handle(message: Buffer, release: ReleasePlace): void;
}

/** The messages of one connection, which are handled one by one in their order. */
export interface SocketMessages {
  /** Number of messages that wait. */
  readonly size: number;
  add(message: Buffer): void;
  /** Forgets those that wait, because the connection has closed. */
  forget(): void;
}

/** Bytes that a waiting message takes besides its text. */
export const MESSAGE_OVERHEAD = 256;

/** The messages of one connection that wait. */
interface WaitingMessages {
  readonly size: number;
  first(): Buffer | undefined;
  /** Adds a message of a caller. False if too many bytes of the caller wait. */
  add(message: Buffer, caller: string | null): boolean;
  removeFirst(): void;
  clear(): void;
}

function createWaitingMessages(waitingBytes: KeyedLimit): WaitingMessages {
  const messages: { readonly message: Buffer; releaseBytes(): void }[] = [];
  return {
    get size() {
      return messages.length;
    },
    first: () => messages[0]?.message,
    add(message, caller) {
      const releaseBytes = caller === null ? () => {} : waitingBytes.take(caller, message.length + MESSAGE_OVERHEAD);
      // A copy: `message` is a part of all that was read with it.
      if (releaseBytes) messages.push({ message: Buffer.from(message), releaseBytes });
      return releaseBytes !== null;
    },
    removeFirst() {
      messages.shift()?.releaseBytes();
    },
    clear() {
      for (const { releaseBytes } of messages.splice(0)) releaseBytes();
    },
  };
}

/** Lets the first message wait for what it needs. */
type Wait = () => void;

/**
 * Handles messages at once if the event loop has time and the caller has a place for the operation that a message starts. Otherwise the
 * message and all that follow it wait. While the first one waits for the event loop, nothing more is read from the connection; what was read with
 * the message may be hundreds of others. While the first one waits for a place, which may take long, reading goes on, so that the client can
 * complete other operations and close the connection. While too many bytes are unread, no operation starts.
 */
export function createSocketMessages(
  { turns, places, waitingBytes }: MessageOrder,
  source: MessageSource,
): SocketMessages {
  /** The first one waits for its turn, for a place, or until the client reads. */
  const waiting = createWaitingMessages(waitingBytes);
  let stopWaiting = () => {};
  let isForgotten = false;

  /**
   * Returns what the message has to wait for; null if it is handled. `place` is one that it has waited for. Before a connection is accepted, no
   * message can start an operation.
   */
  const tryHandle = (message: Buffer, place?: ReleasePlace): Wait | null => {
    const caller = source.caller();
    const isStart = caller !== null && startsOperation(message);
    if (isStart && source.guard.isFull) {
      place?.();
      return awaitReader;
    }
    const release = place ?? (isStart ? places.take(caller) : () => {});
    if (!release) return awaitPlace;
    source.handle(message, release);
    return null;
  };
  /** While the client does not read, a result would only wait in memory. */
  const awaitReader: Wait = () => {
    source.guard.read();
    stopWaiting = source.guard.whenFree(awaitTurn);
  };
  const awaitTurn = (): void => {
    source.guard.pause();
    turns.add(() => handleFirst());
  };
  const endFirst = (): void => {
    waiting.removeFirst();
    if (waiting.size > 0) awaitTurn();
    else source.guard.read();
  };
  const handleFirst = (place?: ReleasePlace): void => {
    const first = waiting.first();
    if (!first) {
      place?.();
      return;
    }
    const wait = tryHandle(first, place);
    if (wait) wait();
    else endFirst();
  };
  const awaitPlace: Wait = () => {
    source.guard.read();
    // In a turn: the operation that gave the place back may have been refused at once, and so may this one.
    stopWaiting = places.wait(source.caller() ?? "", (place) => turns.add(() => handleFirst(place)));
  };
  const forget = (): void => {
    isForgotten = true;
    stopWaiting();
    waiting.clear();
  };
  return {
    get size() {
      return waiting.size;
    },
    forget,
    add(message) {
      if (isForgotten) return;
      const isFirst = waiting.size === 0;
      const wait = isFirst && !turns.isBusy() ? tryHandle(message) : awaitTurn;
      if (!wait) return;
      if (!waiting.add(message, source.caller())) {
        forget();
        source.refuse();
        return;
      }
      if (!startsOperation(message)) source.notice(message);
      if (isFirst) wait();
    },
  };
}

const SUBSCRIBE = Buffer.from(`"${MessageType.Subscribe}"`);
/** JSON may write each character as an escape. */
const ESCAPE = Buffer.from("\\u");

/** True for every message that starts an operation. Others with the same word or with an escape wait for a place too. */
function startsOperation(message: Buffer): boolean {
  return message.includes(SUBSCRIBE) || message.includes(ESCAPE);
}
