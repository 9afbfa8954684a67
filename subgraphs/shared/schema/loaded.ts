/** A value, or the promise of its load. The compiled form of operations writes a value at once, and waits for a promise. */
export type Loaded<Value> = Value | Promise<Value>;

/** Calls `pick` at once if the value is there. */
export function withValue<Value, Result>(value: Loaded<Value>, pick: (value: Value) => Loaded<Result>): Loaded<Result> {
  return value instanceof Promise ? value.then(pick) : pick(value);
}
