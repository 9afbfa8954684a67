import type { Serializable } from "node:child_process";
import { ConfigError } from "../config/config.ts";
import { messageOf } from "../errors/errors.ts";

/** One end of the channel between a process and one that it has forked: a child process, or `process` in the forked one. */
interface Channel {
  send?(message: Serializable, handle: undefined, options: undefined, callback: () => void): boolean;
  on(event: "message", listener: (message: unknown) => void): unknown;
}

interface Question {
  readonly question: unknown;
  readonly id: number;
}

interface Answer {
  readonly answered: number;
  readonly value?: unknown;
  /** Why there is no value. */
  readonly failure?: { readonly message: string; readonly isExpected: boolean };
}

export interface Questions {
  /** Asks the other process. Rejects with what it fails with; of the error, the message and whether it is a `ConfigError` are kept. */
  ask(question: Serializable): Promise<unknown>;
  /** Rejects all questions that are not answered, and further ones. Call it when the other process has ended. */
  end(reason: string): void;
}

/**
 * Questions between two processes, in both directions. Other messages on the channel are left alone. `answer` answers what the other
 * process asks.
 */
export function exchangeQuestions(channel: Channel, answer: (question: unknown) => unknown): Questions {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let last = 0;
  let ended: string | null = null;
  const send = (message: Question | Answer) => channel.send?.(message as Serializable, undefined, undefined, () => {});
  const reply = async ({ question, id }: Question): Promise<void> => {
    try {
      send({ answered: id, value: await answer(question) });
    } catch (error) {
      send({ answered: id, failure: { message: messageOf(error), isExpected: error instanceof ConfigError } });
    }
  };
  channel.on("message", (message) => {
    if (typeof message !== "object" || message === null) return;
    if ("question" in message) void reply(message as Question);
    if (!("answered" in message)) return;
    const { answered, value, failure } = message as Answer;
    const asked = waiting.get(answered);
    waiting.delete(answered);
    if (failure) asked?.reject(failure.isExpected ? new ConfigError(failure.message) : new Error(failure.message));
    else asked?.resolve(value);
  });
  return {
    ask: (question) =>
      new Promise((resolve, reject) => {
        if (ended !== null) throw new Error(ended);
        const id = ++last;
        waiting.set(id, { resolve, reject });
        send({ question, id });
      }),
    end(reason) {
      ended = reason;
      for (const { reject } of waiting.values()) reject(new Error(reason));
      waiting.clear();
    },
  };
}
