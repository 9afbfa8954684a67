/** Thrown where a node answers with an AppError of this code and message. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a parser. If it fails, throws a refusal with `prefix` and the parser's message. */
export function parseOrRefuse<Value>(code: number, prefix: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    throw new Refusal(code, `${prefix}: ${error instanceof Error ? error.message : error}`);
  }
}
