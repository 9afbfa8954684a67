import yargs from "yargs";

/** `moraine completion`: prints the script. It runs `moraine --get-yargs-completions`, which prints what may follow. */
export function printCompletionScript(): void {
  yargs().scriptName("moraine").completion("completion").showCompletionScript();
}
