/** What a node said to one call; `text` is the JSON of its `result` or `error` member, word for word. */
export interface Answer {
  readonly kind: "result" | "error";
  readonly text: string;
}

/** The answer `null`: what a node says of a block, transaction or receipt that it does not know. */
export const NULL: Answer = { kind: "result", text: "null" };

/** An answer whose result is the JSON text given. */
export function resultOf(text: string): Answer {
  return { kind: "result", text };
}

/** A node's refusal, thrown by a method and answered as the JSON-RPC error of that code and message. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The refusal of a call that the real node would answer but the recording does not hold. */
export function notRecorded(method: string, params: unknown): Refusal {
  return new Refusal(-32000, `not in the recording: ${method} ${JSON.stringify(params ?? null)}`);
}

/** The answer of a call: what it returns, or the refusal it throws. `extra` is added to the error object. */
export function answerOf(call: () => Answer, extra: Record<string, unknown> = {}): Answer {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: "error", text: JSON.stringify({ code: error.code, message: error.message, ...extra }) };
  }
}
