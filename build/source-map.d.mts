export interface SourcePosition {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

export function parseSourceMap(text: string): (line: number, column: number) => SourcePosition | null;
