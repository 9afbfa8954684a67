import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  NoSchemaIntrospectionCustomRule,
} from "graphql";
import { type SplitQuery, splitQuery } from "../introspection.ts";
import type { GraphContext } from "./graph-context.ts";

/** Answers `__schema` and `__type` from the schema, and the other root fields of the same query from the subgraphs. */
export function useIntrospection(): GatewayPlugin<GraphContext> {
  const splitOf = createSplits();
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const split = splitOf(args.document, args.operationName ?? null);
      if (!split) return;
      const { introspection, rest, names } = split;
      setExecuteFn(async (execution: ExecutionArgs) => {
        const described = await execute({ ...execution, document: introspection });
        if (!rest) return described;
        const answered = (await executeFn({ ...execution, document: rest })) as ExecutionResult;
        return merged(described, answered, names);
      });
    },
  };
}

/** Refuses `__schema` and `__type` as invalid. */
export function useNoIntrospection(): GatewayPlugin<GraphContext> {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(NoSchemaIntrospectionCustomRule);
    },
  };
}

function merged(described: ExecutionResult, answered: ExecutionResult, names: readonly string[]): ExecutionResult {
  const errors = [...(described.errors ?? []), ...(answered.errors ?? [])];
  const failed = errors.length > 0 ? { errors } : {};
  if (!described.data || !answered.data) return { ...failed, data: null };
  const values = { ...described.data, ...answered.data };
  return { ...failed, data: Object.fromEntries(names.map((name) => [name, values[name]])) };
}

/** Caches results by document and operation name. The parser's cache gives equal texts the same document. */
function createSplits(): (document: DocumentNode, operationName: string | null) => SplitQuery | null {
  const byDocument = new WeakMap<DocumentNode, Map<string | null, SplitQuery | null>>();
  return (document, operationName) => {
    const byName = byDocument.get(document) ?? new Map<string | null, SplitQuery | null>();
    byDocument.set(document, byName);
    const known = byName.get(operationName);
    if (known !== undefined) return known;
    const split = splitQuery(document, operationName);
    byName.set(operationName, split);
    return split;
  };
}
