import pino from "pino";
import type { Logger } from "../../core/observability/logger.ts";

/** A logger, and the lines that it has written at `level` and above. */
export function createLogLines(level: string): { readonly logger: Logger; readonly lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line));
  return { logger: pino({ level, base: null, timestamp: false }, { write }), lines };
}
