import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { startSimulator } from "./simulator.ts";

/**
 * Runs simulated validators until standard input closes. The configuration is the JSON file that the first argument names, or
 * without one the first line of standard input. Prints the population as one line of JSON when all ports are open.
 */
const lines = createInterface({ input: process.stdin });
const ended = new Promise<void>((resolve) => lines.once("close", resolve));
const [, , path] = process.argv;
const text = path === undefined ? await firstLine() : readFileSync(path, "utf8");
const simulator = await startSimulator(JSON.parse(text));
console.log(JSON.stringify(simulator.population));
await ended;
await simulator[Symbol.asyncDispose]();

function firstLine(): Promise<string> {
  return new Promise((resolve, reject) => {
    lines.once("line", resolve);
    lines.once("close", () => reject(new Error("standard input ended before the configuration")));
  });
}
