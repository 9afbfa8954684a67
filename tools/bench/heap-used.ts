import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";

/** Where Node.js listens for debuggers after SIGUSR1. */
const INSPECTOR = "http://127.0.0.1:9229/json";
const ATTEMPTS = 100;
const PAUSE_MS = 20;
/** Closes the debugger only of the process that was meant: another one may be debugged by somebody else. */
const expressionFor = (pid: number): string => `
if (process.pid === ${pid}) setTimeout(() => process.getBuiltinModule("inspector").close(), 50);
JSON.stringify({ pid: process.pid, bytes: process.memoryUsage().heapUsed })`;

/** Bytes of the objects in the JavaScript heap of a process of Node.js, garbage included. Asks it as a debugger does. */
export async function heapUsedBytes(pid: number): Promise<number> {
  process.kill(pid, "SIGUSR1");
  const socket = new WebSocket(await debuggerUrl());
  await once(socket, "open");
  socket.send(JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: expressionFor(pid) } }));
  const [message] = await once(socket, "message");
  const { result } = JSON.parse(String(message)) as {
    readonly result: { readonly result: { readonly value: string } };
  };
  const answer = JSON.parse(result.result.value) as { readonly pid: number; readonly bytes: number };
  if (answer.pid !== pid) {
    socket.close();
    throw new Error(`process ${answer.pid} is debugged already: end it, or close its debugger`);
  }
  await once(socket, "close");
  return answer.bytes;
}

async function debuggerUrl(): Promise<string> {
  for (let attempt = 1; ; attempt++)
    try {
      const [target] = (await (await fetch(INSPECTOR)).json()) as { readonly webSocketDebuggerUrl: string }[];
      return target?.webSocketDebuggerUrl ?? "";
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await sleep(PAUSE_MS);
    }
}
