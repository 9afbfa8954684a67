/** What a semicolon may be inside of: a body or a text, a name, a comment. */
const STATEMENT_PARTS = /\$(\w*)\$[\s\S]*?\$\1\$|'[^']*'|"[^"]*"|--[^\n]*|;|[^$'"\-;]+|[\s\S]/g;

/** The statements of a migration. Citus does not execute a script of several statements on distributed tables. */
export function statementsOf(sql: string): string[] {
  const statements = [""];
  for (const [part] of sql.matchAll(STATEMENT_PARTS)) {
    if (part === ";") statements.push("");
    else if (!part.startsWith("--")) statements.push(`${statements.pop()}${part}`);
  }
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== "");
}
