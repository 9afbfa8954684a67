import { TYPES } from "./arguments.ts";

/** Members of the request, and the options of the command that set them. */
const OPTIONS: readonly (readonly [member: RegExp, option: string])[] = [
  [/\boptions\.addresses and options\.cChainEvmAddresses\b/g, "--address"],
  [/\boptions\.(addresses|cChainEvmAddresses)(\[\d+\])?/g, "--address"],
  [/\boptions\.includeChains(\[\d+\])?/g, "--chain"],
  [/\boptions\.compression\b/g, "--gzip"],
  [/\bfirstDate\b/g, "--from"],
  [/\blastDate\b/g, "--to"],
  [/^type\b/, "--type"],
];

/** A message of the service about a wrong value, with the options of the command in place of the request's members. */
export function withOptionNames(message: string): string {
  const named = OPTIONS.reduce((text, [member, option]) => text.replace(member, option), message);
  return named.replace(/\bTRANSACTION_EXPORT_\w+/g, (type) => nameOf(type) ?? type);
}

const nameOf = (type: string): string | undefined => Object.keys(TYPES).find((name) => TYPES[name] === type);
