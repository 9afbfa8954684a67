import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Abi, Hex } from "viem";

/** A contract of a file in contracts/, ready to deploy. */
export interface Contract {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

interface CompilerOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts: Readonly<
    Record<string, Readonly<Record<string, { abi: Abi; evm: { bytecode: { object: string } } }>>>
  >;
}

/** Runs in a separate process, because the compiler is 8 MB of JavaScript and installs process-wide handlers. */
const COMPILE = 'process.stdout.write(require("solc").compile(require("node:fs").readFileSync(0, "utf8")))';

/** Compiles a file of contracts/ with the pinned compiler, and returns its contracts by name. Takes about two seconds. */
export function compileContracts(file: "tokens.sol" | "facts.sol"): Readonly<Record<string, Contract>> {
  const input = {
    language: "Solidity",
    sources: { [file]: { content: readFileSync(new URL(`contracts/${file}`, import.meta.url), "utf8") } },
    settings: { optimizer: { enabled: true }, outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const options = {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 1 << 26,
    cwd: import.meta.dirname,
  } as const;
  const output = JSON.parse(execFileSync(process.execPath, ["-e", COMPILE], options)) as CompilerOutput;
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return Object.fromEntries(
    Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
      name,
      { abi, bytecode: `0x${evm.bytecode.object}` as const },
    ]),
  );
}
