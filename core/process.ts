import { ConfigError } from "./config.ts";
import { messageOf } from "./errors.ts";

/** What a process has opened, closed in reverse order at its end. */
export interface Stack {
  use<Resource extends AsyncDisposable | Disposable>(resource: Resource): Resource;
}

/**
 * Runs a process: `start` opens what it needs on the stack; SIGTERM or SIGINT closes it, in reverse order, and ends the
 * process. A start that fails prints one line (a stack too, when it is not a wrong setting) and ends with 1.
 */
export async function runUntilSignal(start: (stack: Stack) => Promise<void>): Promise<void> {
  const opened: (AsyncDisposable | Disposable)[] = [];
  const close = async () => {
    for (const resource of opened.splice(0).reverse()) await dispose(resource);
  };
  const stopped = new Promise<string>((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => done(signal));
  });
  const stack: Stack = {
    use(resource) {
      opened.push(resource);
      return resource;
    },
  };
  const started = start(stack);
  try {
    await Promise.race([started, stopped]);
    await stopped;
    await close();
    process.exit(0);
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : `Moraine could not start: ${stackOf(error)}`);
    await close();
    process.exit(1);
  }
}

function stackOf(error: unknown): string {
  return (error instanceof Error && error.stack) || messageOf(error);
}

/** One that fails to close must not keep the others open. */
async function dispose(resource: AsyncDisposable | Disposable): Promise<void> {
  try {
    if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
    else resource[Symbol.dispose]();
  } catch (error) {
    console.error(`while closing: ${messageOf(error)}`);
  }
}
