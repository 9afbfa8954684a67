import type { SelectionNode, SelectionSetNode, ValidationContext, ValidationRule } from "graphql";
import { Failure } from "../core/errors.ts";

const MAX_DEPTH = 15;
const MAX_FIELDS = 1_000;
const MAX_ROOT_FIELDS = 20;

interface Size {
  /** Fields at the top, those of fragments included. */
  readonly roots: number;
  readonly depth: number;
  readonly fields: number;
}

/**
 * Refuses operations that would cost too much: more than 15 levels, 1,000 fields, or 20 root fields, fragments and aliases
 * counted as often as they are used. Introspection is not counted here: it reads no table.
 */
export const operationLimits: ValidationRule = (context) => {
  const size = createMeasure(context);
  return {
    OperationDefinition({ selectionSet, operation }) {
      if (operation === "mutation" && !context.getSchema().getMutationType())
        refuse(context, "nothing can be changed here: there are no mutations");
      const { depth, fields, roots } = size(selectionSet);
      if (depth > MAX_DEPTH) refuse(context, `an operation may be ${MAX_DEPTH} levels deep, this one has ${depth}`);
      if (fields > MAX_FIELDS) refuse(context, `an operation may have ${MAX_FIELDS} fields, this one has ${fields}`);
      if (roots > MAX_ROOT_FIELDS)
        refuse(context, `an operation may have ${MAX_ROOT_FIELDS} root fields, this one has ${roots}`);
    },
  };
};

const NOTHING: Size = { roots: 0, depth: 0, fields: 0 };

function refuse(context: ValidationContext, message: string): void {
  context.reportError(new Failure("OPERATION_TOO_COMPLEX", message));
}

function createMeasure(context: ValidationContext): (set: SelectionSetNode) => Size {
  const fragments = new Map<string, Size>();
  const fragmentSize = (name: string): Size => {
    const known = fragments.get(name);
    if (known) return known;
    // A fragment within itself counts as nothing here: another rule refuses it.
    fragments.set(name, NOTHING);
    const fragment = context.getFragment(name);
    const size = fragment ? sizeOf(fragment.selectionSet) : NOTHING;
    fragments.set(name, size);
    return size;
  };
  const sizeOf = (set: SelectionSetNode): Size => {
    let [roots, depth, fields] = [0, 0, 0];
    for (const node of set.selections) {
      if (node.kind === "Field" && node.name.value.startsWith("__")) continue;
      const inner = innerOf(node);
      const own = node.kind === "Field" ? 1 : 0;
      roots += own || inner.roots;
      // An inline fragment is a level too: parsers and planners go down into it.
      depth = Math.max(depth, inner.depth + (node.kind === "FragmentSpread" ? 0 : 1));
      fields += inner.fields + own;
    }
    return { roots, depth, fields };
  };
  const innerOf = (node: SelectionNode): Size => {
    if (node.kind === "FragmentSpread") return fragmentSize(node.name.value);
    return node.selectionSet ? sizeOf(node.selectionSet) : NOTHING;
  };
  return sizeOf;
}
