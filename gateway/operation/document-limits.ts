import { type DocumentNode, Kind, Lexer, type SelectionNode, type SelectionSetNode, Source, TokenKind } from "graphql";
import { formatCount } from "../../core/graph/cost.ts";
import { type Fragments, fragmentsOf } from "../../core/graph/graph-document.ts";
import { tooComplex } from "./limits.ts";

const MAX_DEPTH = 15;
const MAX_FIELDS = 1_000;
const MAX_ROOT_FIELDS = 20;
const MAX_REPEATS = 50;
/** Maximum number of selections of a document. Those of a fragment count each time that it is used; those of introspection count too. */
const MAX_VISITED = 10_000;

/** Characters of a document. Each step that reads all of them takes some milliseconds for a megabyte. */
const MAX_CHARACTERS = 100_000;

/** True if a document is refused because of its length. */
export function isTooLong({ length }: string): boolean {
  return length > MAX_CHARACTERS;
}

/** Throws if a document is too long. */
export function checkDocumentLength(text: string): void {
  const { length } = text;
  if (isTooLong(text))
    throw tooComplex(
      `a document may have at most ${formatCount(MAX_CHARACTERS)} characters, this one has ${formatCount(length)}`,
    );
}

interface Size {
  /** Root fields, those in fragments included. */
  readonly roots: number;
  readonly depth: number;
  readonly fields: number;
}

/**
 * Throws if an operation has more than 15 levels, 1,000 fields or 20 root fields, if a field is selected more than 50 times in one
 * place, or if a document has more than 10,000 selections. The fields of a fragment count each time that it is used. Introspection
 * counts only for the last two rules: it reads no table.
 *
 * Called before the document is validated, because the validation compares all fields of one place with each other.
 */
export function checkDocumentSize(document: DocumentNode): void {
  const { definitions } = document;
  const fragments = fragmentsOf(document);
  const sizeOf = createMeasure(fragments);
  for (const node of definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, fields, roots } = sizeOf(node.selectionSet);
    if (depth > MAX_DEPTH)
      throw tooComplex(`an operation may be at most ${MAX_DEPTH} levels deep, this one has ${depth}`);
    if (fields > MAX_FIELDS)
      throw tooComplex(`an operation may have at most ${MAX_FIELDS} fields, this one has ${fields}`);
    if (roots > MAX_ROOT_FIELDS)
      throw tooComplex(`an operation may have at most ${MAX_ROOT_FIELDS} root fields, this one has ${roots}`);
  }
  // Fragments that no operation uses are validated too.
  for (const node of definitions) if ("selectionSet" in node) checkRepeats(node.selectionSet, fragments);
}

const EMPTY: Size = { roots: 0, depth: 0, fields: 0 };

function createMeasure(named: Fragments): (set: SelectionSetNode) => Size {
  const fragments = new Map<string, Size>();
  const fragmentSize = (name: string): Size => {
    const known = fragments.get(name);
    if (known) return known;
    // Ends the recursion of a fragment that contains itself. Another rule refuses such a document.
    fragments.set(name, EMPTY);
    const fragment = named.get(name);
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

/** A field of the answer. */
interface AnswerField {
  repeats: number;
  /** The fields below it, by their names in the answer. */
  readonly fields: Map<string, AnswerField>;
}

const createAnswerField = (): AnswerField => ({ repeats: 0, fields: new Map() });

function checkRepeats(selectionSet: SelectionSetNode, fragments: Fragments): void {
  let visited = 0;
  const open = new Set<string>();
  const visit = ({ selections }: SelectionSetNode, parent: AnswerField): void => {
    for (const node of selections) {
      if (++visited > MAX_VISITED) throw tooComplex(`a document may have at most ${MAX_VISITED} selections`);
      if (node.kind === Kind.FRAGMENT_SPREAD) visitFragment(node.name.value, parent);
      else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet, parent);
      else {
        const name = (node.alias ?? node.name).value;
        const field = parent.fields.get(name) ?? createAnswerField();
        parent.fields.set(name, field);
        if (++field.repeats > MAX_REPEATS)
          throw tooComplex(
            `a document may select a field at most ${MAX_REPEATS} times in one place, this one selects ${name} more often`,
          );
        if (node.selectionSet) visit(node.selectionSet, field);
      }
    }
  };
  const visitFragment = (name: string, parent: AnswerField): void => {
    const fragment = fragments.get(name);
    // Another rule refuses a fragment that contains itself.
    if (!fragment || open.has(name)) return;
    open.add(name);
    visit(fragment.selectionSet, parent);
    open.delete(name);
  };
  visit(selectionSet, createAnswerField());
}

/** How deeply selections, lists and objects of a document may be nested. The introspection query of GraphiQL has 14 levels. */
const MAX_NESTING = 100;

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Throws if a document is nested more deeply than `MAX_NESTING`. Parser, rules and executor are recursive, so such a document could
 * exceed the call stack. A syntax error is left to the parser, which counts tokens too.
 */
export function checkNesting(text: string, maxTokens: number): void {
  // A shorter document cannot be nested too deeply.
  if (text.length <= MAX_NESTING) return;
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let count = 0; count <= maxTokens; count++) {
    const kind = nextKind(lexer);
    if (kind === null || kind === TokenKind.EOF) return;
    if (OPENING.has(kind)) depth++;
    else if (CLOSING.has(kind)) depth--;
    if (depth > MAX_NESTING) throw tooComplex(`a document may have at most ${MAX_NESTING} levels of nesting`);
  }
}

function nextKind(lexer: Lexer): TokenKind | null {
  try {
    return lexer.advance().kind;
  } catch {
    return null;
  }
}
