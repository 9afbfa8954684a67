import { Lexer, Source, TokenKind } from "graphql";
import { tooComplex } from "./too-complex.ts";

/** How deeply selections, lists and objects of a document may be nested. The introspection query of GraphiQL has 14 levels. */
const MAX_NESTING = 100;

const OPENING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Throws if a document is nested more deeply than `MAX_NESTING`. Parser, rules and executor are recursive, so such a document could
 * exceed the call stack. A syntax error is left to the parser, which counts tokens too.
 */
export function checkNesting(document: string | Source, maxTokens: number): void {
  const text = typeof document === "string" ? document : document.body;
  // A shorter document cannot be nested too deeply.
  if (text.length <= MAX_NESTING) return;
  const lexer = new Lexer(typeof document === "string" ? new Source(document) : document);
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
