import { ConfigError } from "../core/config/config.ts";
import { quoted } from "../core/errors/errors.ts";
import { PART_NAMES, PARTS, PARTS_WITH_API } from "./parts.ts";

/** `moraine start`. The process ends with its parts. `only` null: all parts. */
export async function startParts(only: readonly string[] | null, flags: readonly string[]): Promise<undefined> {
  const names = only ?? PARTS_WITH_API;
  const unknown = names.find((name) => !PART_NAMES.includes(name));
  if (unknown !== undefined)
    throw new ConfigError(`--only: there is no part ${quoted(unknown)}; the parts are ${PART_NAMES.join(", ")}`);
  if (names.includes("api")) return startWithApi(names, flags);
  const [name = ""] = names;
  if (names.length > 1)
    throw new ConfigError(`--only: give one part, or api with others of ${PARTS_WITH_API.slice(1).join(", ")}`);
  // The module of a part reads the flags of settings from the arguments of the process.
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...flags);
  await PARTS[name]?.();
}

async function startWithApi(names: readonly string[], flags: readonly string[]): Promise<undefined> {
  const other = names.find((name) => !(PARTS_WITH_API as readonly string[]).includes(name));
  if (other !== undefined)
    throw new ConfigError(`--only: ${other} cannot run beside api: start it in a process of its own`);
  const { startService } = await import("./start.ts");
  await startService(new Set(names), flags);
}
