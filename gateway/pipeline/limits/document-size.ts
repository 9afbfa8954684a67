import type { SelectionNode, SelectionSetNode, ValidationContext, ValidationRule } from "graphql";
import { Failure } from "../../../core/errors.ts";

const MAX_DEPTH = 15;
const MAX_FIELDS = 1_000;
const MAX_ROOT_FIELDS = 20;

interface Size {
  /** Root fields, those in fragments included. */
  readonly roots: number;
  readonly depth: number;
  readonly fields: number;
}

/**
 * Refuses operations of more than 15 levels, 1,000 fields or 20 root fields. The fields of a fragment count each time that
 * it is used. Introspection does not count here: it reads no table.
 */
export const documentSize: ValidationRule = (context) => {
  const sizeOf = createMeasure(context);
  return {
    OperationDefinition({ selectionSet }) {
      const { depth, fields, roots } = sizeOf(selectionSet);
      if (depth > MAX_DEPTH)
        refuse(context, `an operation may be at most ${MAX_DEPTH} levels deep, this one has ${depth}`);
      if (fields > MAX_FIELDS)
        refuse(context, `an operation may have at most ${MAX_FIELDS} fields, this one has ${fields}`);
      if (roots > MAX_ROOT_FIELDS)
        refuse(context, `an operation may have at most ${MAX_ROOT_FIELDS} root fields, this one has ${roots}`);
    },
  };
};

const EMPTY: Size = { roots: 0, depth: 0, fields: 0 };

function refuse(context: ValidationContext, message: string): void {
  context.reportError(new Failure("OPERATION_TOO_COMPLEX", message));
}

function createMeasure(context: ValidationContext): (set: SelectionSetNode) => Size {
  const fragments = new Map<string, Size>();
  const fragmentSize = (name: string): Size => {
    const known = fragments.get(name);
    if (known) return known;
    // Ends the recursion of a fragment that contains itself. Another rule refuses such a document.
    fragments.set(name, EMPTY);
    const fragment = context.getFragment(name);
    const size = fragment ? sizeOf(fragment.selectionSet) : EMPTY;
    fragments.set(name, size);
    return size;
  };
  const sizeOf = (set: SelectionSetNode): Size => {
    let roots = 0;
    let depth = 0;
    let fields = 0;
    for (const node of set.selections) {
      if (node.kind === "Field" && node.name.value.startsWith("__")) continue;
      const inner = innerSize(node);
      const own = node.kind === "Field" ? 1 : 0;
      roots += own || inner.roots;
      // An inline fragment is a level too: parsers and planners recurse into it.
      depth = Math.max(depth, inner.depth + (node.kind === "FragmentSpread" ? 0 : 1));
      fields += inner.fields + own;
    }
    return { roots, depth, fields };
  };
  const innerSize = (node: SelectionNode): Size => {
    if (node.kind === "FragmentSpread") return fragmentSize(node.name.value);
    return node.selectionSet ? sizeOf(node.selectionSet) : EMPTY;
  };
  return sizeOf;
}
