import pino from "pino";

export type Logger = pino.Logger;

/** Structured lines on standard error, so that standard output stays free for what a person reads. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    pino.destination({ fd: 2, sync: true }),
  );
}
