/** Calls the function when its value is first needed, and returns the same value at later calls. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for each object: calls the function when its value for this object is first needed. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const known = made.get(key) ?? { value: make(key) };
    made.set(key, known);
    return known.value;
  };
}

/** As `once`, for a promise. After a failure, the next call makes it again. */
export function onceResolved<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Calls the function when it is not running. While its promise is pending, all callers get the same promise. */
export function onceAtATime<Args extends readonly unknown[], Value>(
  run: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  let running: Promise<Value> | null = null;
  return (...args) => {
    running ??= run(...args).finally(() => {
      running = null;
    });
    return running;
  };
}
