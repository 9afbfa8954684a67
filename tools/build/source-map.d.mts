export interface SourcePosition {
  readonly source: string;
  readonly line: number;
  readonly column: number;
}

export function linesFile(mapFile: string): string;

export function findLines(text: string): Buffer;

export function parseSourceMap(text: string, found?: Buffer): (line: number, column: number) => SourcePosition | null;
