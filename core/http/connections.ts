import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Failure } from "../errors/errors.ts";
import { cancelWork, createWork, type Work } from "../work/work.ts";

type CloseTask = (response: ServerResponse) => void;

const TASKS = Symbol("tasks");
const WORK = Symbol("work");

/** What belongs to a response. Properties take less time than a WeakMap. */
interface Tracked extends ServerResponse {
  [TASKS]?: CloseTask[] | undefined;
  [WORK]?: Work;
}

/**
 * Calls `task` once, when the response is complete or its connection has closed; at once if that has happened already. So whatever is
 * opened for a response can be closed by it, at any time and also while the response waits for earlier ones of its connection (see
 * `trackConnections`). All tasks of a response share one listener, because several listeners take longer than the tasks themselves.
 */
export function onResponseClose(response: Tracked, task: CloseTask): void {
  if (response.destroyed) {
    task(response);
    return;
  }
  const tasks = response[TASKS];
  if (tasks) {
    tasks.push(task);
    return;
  }
  response[TASKS] = [task];
  // `once` would make more objects for each request.
  response.on("close", runTasks);
}

function runTasks(this: Tracked): void {
  const tasks = this[TASKS] ?? [];
  // Node.js 24 emits the event twice for a response whose connection is reset while it waits for earlier ones.
  this[TASKS] = undefined;
  for (const task of tasks) task(this);
}

/** The open connections of a server, each with its responses that are not complete yet. */
export type Connections = ReadonlyMap<Socket, ReadonlySet<ServerResponse>>;

/**
 * Tracks the connections of a server. When a connection closes, all its responses are closed: Node.js closes only the one that is being
 * sent. Requests that have arrived on a closed connection are emitted as well, and their responses are closed at once.
 *
 * Call it before any other listener for requests is added.
 */
export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, Set<ServerResponse>>();
  server.on("connection", (socket: Socket) => {
    // The connection of an ignored upgrade is emitted a second time.
    if (open.has(socket)) return;
    const responses = new Set<ServerResponse>();
    open.set(socket, responses);
    socket.once("close", () => {
      open.delete(socket);
      for (const response of responses) if (!response.socket) close(response);
    });
  });
  server.on("request", ({ socket }, response) => {
    const responses = open.get(socket);
    if (!responses || socket.destroyed) {
      close(response);
      return;
    }
    responses.add(response);
    onResponseClose(response, (closed) => responses.delete(closed));
  });
  return open;
}

/** Does what Node.js does with a response whose connection has closed. */
function close(response: ServerResponse): void {
  response.destroyed = true;
  response.emit("close");
}

/**
 * Returns the work of answering a request over HTTP. It is cancelled when the connection closes before the response is complete, which
 * means that the caller waits no more.
 */
export function workOf(response: Tracked): Work {
  const known = response[WORK];
  if (known) return known;
  const work = createWork();
  response[WORK] = work;
  onResponseClose(response, cancelIfIncomplete);
  return work;
}

function cancelIfIncomplete(response: ServerResponse): void {
  if (!response.writableFinished) cancelAnswer(response, CALLER_LEFT);
}

/** Cancels the work of answering a request, if it has any. The answer becomes the error. */
export function cancelAnswer(response: Tracked, reason: Failure): void {
  const work = response[WORK];
  if (work) cancelWork(work, reason);
}

/**
 * The failure of work whose caller waits no more. Nobody receives it, so it is always the same: when a connection with hundreds of
 * subscriptions closes, to make one for each would take longer than to end them.
 */
export const CALLER_LEFT = new Failure("UNAVAILABLE", "the caller has closed the connection");
