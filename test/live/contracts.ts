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

/**
 * Runs in a separate process: the compiler is 8 MB of JavaScript that installs global handlers. Its WebAssembly is not optimised,
 * which takes longer than it saves.
 */
const COMPILE = 'process.stdout.write(require("solc").compile(require("node:fs").readFileSync(0, "utf8")))';
const OPTIONS = ["--liftoff-only"];

const FILES = ["tokens.sol", "facts.sol"] as const;
type File = (typeof FILES)[number];
type Compiled = Readonly<Record<File, Readonly<Record<string, Contract>>>>;

/**
 * Returns the contracts of a file of contracts/ by name, compiled with the pinned compiler. That takes about two seconds,
 * most of them to load the compiler, so all files are compiled together once in a run of the tests.
 */
export function compileContracts(file: File): Readonly<Record<string, Contract>> {
  const compiled = inRunFolder("contracts.json");
  if (!existsSync(compiled)) {
    // Another worker may compile it now: each writes a file of its own, and renames it.
    const own = `${compiled}.${process.pid}`;
    writeFileSync(own, JSON.stringify(compileAll()));
    renameSync(own, compiled);
  }
  return (JSON.parse(readFileSync(compiled, "utf8")) as Compiled)[file];
}

function compileAll(): Compiled {
  const sourceOf = (file: File) => ({
    content: readFileSync(new URL(`contracts/${file}`, import.meta.url), "utf8"),
  });
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(FILES.map((file) => [file, sourceOf(file)])),
    settings: { optimizer: { enabled: true }, outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } } },
  };
  const options = {
    input: JSON.stringify(input),
    encoding: "utf8",
    maxBuffer: 1 << 26,
    cwd: import.meta.dirname,
  } as const;
  const output = JSON.parse(execFileSync(process.execPath, [...OPTIONS, "-e", COMPILE], options)) as CompilerOutput;
  const errors = output.errors?.filter(({ severity }) => severity === "error") ?? [];
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join("\n"));
  const contractsOf = (file: File): Readonly<Record<string, Contract>> =>
    Object.fromEntries(
      Object.entries(output.contracts[file] ?? {}).map(([name, { abi, evm }]) => [
        name,
        { abi, bytecode: `0x${evm.bytecode.object}` as const },
      ]),
    );
  return { "tokens.sol": contractsOf("tokens.sol"), "facts.sol": contractsOf("facts.sol") };
}
