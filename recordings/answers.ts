/** A node's answer to one call. `text` is the JSON of the `result` or `error` member, byte for byte. */
export interface Answer {
  readonly kind: "result" | "error";
  readonly text: string;
}

/** The result `null`: a node's answer for a block, transaction or receipt that it does not know. */
export const NULL: Answer = { kind: "result", text: "null" };

/** An answer with that JSON text as its result. */
export function resultOf(text: string): Answer {
  return { kind: "result", text };
}

/** Thrown by a method to answer with a JSON-RPC error. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The error for a call that a node would answer but that the recording does not have. */
export function notRecorded(method: string, params: unknown): Refusal {
  return new Refusal(-32000, `not in the recording: ${method} ${JSON.stringify(params ?? null)}`);
}

/** Runs a call and turns a thrown `Refusal` into an error answer. `extra` is added to the error object. */
export function answerOf(call: () => Answer, extra: Record<string, unknown> = {}): Answer {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: "error", text: JSON.stringify({ code: error.code, message: error.message, ...extra }) };
  }
}
