/** The same promise, which is awaited later: until then, its failure does not count as unhandled. */
export function handledLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => {});
  return promise;
}
