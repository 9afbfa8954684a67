import type { Work } from "../../core/work/work.ts";
import { createLoader, fields } from "../shared/rows/loader.ts";
import { isVisible } from "./caller.ts";
import { parseOperationId } from "./operations/operation-id.ts";
import type { Operation } from "./operations/types.ts";
import type { OperationsStores } from "./stores.ts";

interface Key {
  readonly operationId: string;
}

/** The loaders of one request. */
export interface Loaders {
  /** The operation with an id; null if the id is malformed or unknown, or if the caller may not read the operation. */
  operation(key: Key): Promise<Operation | null>;
}

export function createLoaders(
  { operations }: Pick<OperationsStores, "operations">,
  owner: string,
  work: Work,
): Loaders {
  const byKey = (keys: readonly Key[]) =>
    operations.byIds(
      keys.map(({ operationId }) => operationId),
      work,
    );
  const byId = createLoader("operation", byKey, fields("operationId"))(work);
  return {
    async operation(key) {
      const operationId = parseOperationId(key.operationId);
      const operation = operationId && (await byId({ operationId }));
      return operation && isVisible(operation, owner) ? operation : null;
    },
  };
}
