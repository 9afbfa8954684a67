/**
 * Disposes resources, beginning with the last one, and removes them from the list. Also disposes those before one that fails, and then
 * rejects with the first failure.
 */
export async function disposeInReverse(resources: AsyncDisposable[]): Promise<void> {
  const failures: unknown[] = [];
  for (const resource of resources.splice(0).reverse()) {
    try {
      await resource[Symbol.asyncDispose]();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
