/** What the exit codes of `moraine` mean. A command that gives a code a narrower meaning says so in its help. */
export const EXIT_CODES = {
  0: "done",
  1: "failed, or something is wrong: the output says what",
  2: "nothing can be said yet: the index is behind the node",
  130: "interrupted; 129 and 143 for the signals SIGHUP and SIGTERM",
} as const;
export type ExitCode = keyof typeof EXIT_CODES;
