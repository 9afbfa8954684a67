import { createBatch, fields } from "../shared/rows/batch.ts";
import { isVisible } from "./caller.ts";
import { parseOperationId } from "./operations/operation-id.ts";
import type { Operation } from "./operations/types.ts";
import type { OperationsStores } from "./stores.ts";

/** The loaders of one request. */
export interface Loaders {
  /** The operation with an id; null if the id is malformed or unknown, or if the caller may not read the operation. */
  operation(key: { readonly operationId: string }): Promise<Operation | null>;
}

export function createLoaders({ operations }: Pick<OperationsStores, "operations">, owner: string): Loaders {
  const byId = createBatch(
    "operation",
    (keys: readonly { readonly operationId: string }[]) => operations.byIds(keys.map(({ operationId }) => operationId)),
    fields("operationId"),
  );
  return {
    async operation(key) {
      const operationId = parseOperationId(key.operationId);
      const operation = operationId && (await byId({ operationId }));
      return operation && isVisible(operation, owner) ? operation : null;
    },
  };
}
