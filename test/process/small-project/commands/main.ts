import { createInterface } from "node:readline";
import { Refusal as ForkRefusal, forkWorker } from "../signatures/process/fork-worker.ts";
import { version } from "../version.ts";

/** esbuild gives one of two classes of the same name in a file another one. */
class Refusal extends Error {}

// Tells the test which version of the sources runs. For each line of its input, this process loads a module or starts another one.
console.log("started", version, process.argv.slice(2).join());
for await (const line of createInterface(process.stdin)) {
  if (line === "load") console.log((await import("./late.ts")).late);
  if (line === "names") console.log(new Refusal().constructor.name, new ForkRefusal().constructor.name);
  if (line === "fork") forkWorker();
  if (line === "titles")
    console.log(
      (await import("./late.ts"))
        .unusualFailures()
        .map(({ stack }) => stack?.split("\n    at ")[0])
        .join(),
    );
  if (line === "fail") console.log(String((await import("./late.ts")).failure().stack?.split("\n")[1]));
}
