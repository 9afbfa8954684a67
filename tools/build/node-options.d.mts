export function nodeOptions(args: readonly string[]): string[];
