import { join, relative } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../build/directories.mjs";
import { bundleOptions } from "../build/options.mjs";

/** What the guards that no setting turns off are replaced with: a text in a source, and the text in its place. */
const REPLACEMENTS = {
  "core/limits/admission/admission.ts": [
    ["for (const gate of all) if (gate.refusal(caller) !== null) return true;", ""],
    ["const release = gates[costClass].tryEnter(caller);", "const release = () => {};"],
  ],
  "core/limits/admission/cost-class.ts": [
    before("const { fields, rootFields, listedItems } = contentsOf(document);", "return () => null;"),
  ],
  "core/http/body.ts": [["checkValues(body);", ""]],
  "core/http/caller-left.ts": [["else onResponseClose(response, cancelIfIncomplete);", ""]],
  "core/http/headers.ts": [
    before("const digest = h64Raw", 'return "none";'),
    ["Object.entries(SECURITY_HEADERS).flat()", "[]"],
  ],
  "core/http/connection-limit.ts": [before("if (maxPerAddress === 0) return;", "return;")],
  "gateway/operation/run-operation.ts": [["checkOperation(operation, variables);", ""]],
  "core/http/compression.ts": [before("if (text.length < MIN_COMPRESSED_LENGTH) return null;", "return null;")],
  "core/http/guards.ts": [
    before('server.on("request", ({ socket }) => {', "return;"),
    before("let waiting = new Map<Socket, Progress>();", "return;"),
    before("let checks = new Map<Socket, number>();", "return;"),
  ],
};

/** Puts a statement before another one. */
function before(statement, added) {
  return [statement, `${added}\n${statement}`];
}

/**
 * Bundles the servers of the bench twice, in the same form, because the form of a bundle changes its speed: with all guards, and without
 * admission, limits of bodies and operations, cancellation, headers, entity tags, compression and limits of connections.
 */
export async function bundleGuardSides(outdir) {
  await bundleServers(outdir, "with-guards", {});
  await bundleServers(outdir, "without-guards", REPLACEMENTS);
}

async function bundleServers(outdir, name, replacements) {
  const left = new Set(Object.keys(replacements));
  const edit = (text, path) => {
    const file = relative(ROOT, path).replaceAll("\\", "/");
    let edited = text;
    for (const [from, to] of replacements[file] ?? []) {
      if (!edited.includes(from)) throw new Error(`bench/without-guards.mjs: ${file} does not contain ${from}`);
      edited = edited.replace(from, () => to);
    }
    left.delete(file);
    return edited;
  };
  const directory = join(outdir, name);
  await build(bundleOptions({ entryPoints: ["bench/servers.ts"], outdir: directory, scriptDirectory: outdir, edit }));
  if (left.size > 0) throw new Error(`bench/without-guards.mjs: the servers do not load ${[...left].join(", ")}`);
}
