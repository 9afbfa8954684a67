import pino from "pino";

export type Logger = pino.Logger;

/** Writes JSON lines to standard error. Standard output is for messages to the person who runs the command. */
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
