import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Abi, Hex } from "viem";
import { inRunFolder } from "../support/run-folder.ts";

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

/** Runs in a separate process: the compiler is 8 MB of JavaScript that installs global handlers. */
const COMPILE = 'process.stdout.write(require("solc").compile(require("node:fs").readFileSync(0, "utf8")))';

type File = "tokens.sol" | "facts.sol";

/**
 * Returns the contracts of a file of contracts/ by name, compiled with the pinned compiler. That takes about three seconds,
 * so each file is compiled once in a run of the tests.
 */
export function compileContracts(file: File): Readonly<Record<string, Contract>> {
  const compiled = inRunFolder(`${file}.json`);
  if (!existsSync(compiled)) {
    // Another worker may compile it now: each writes a file of its own, and renames it.
    const own = `${compiled}.${process.pid}`;
    writeFileSync(own, JSON.stringify(compile(file)));
    renameSync(own, compiled);
  }
  return JSON.parse(readFileSync(compiled, "utf8")) as Readonly<Record<string, Contract>>;
}

function compile(file: File): Readonly<Record<string, Contract>> {
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
