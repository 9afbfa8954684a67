import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { exportsPage } from "../exporter/rows/page.ts";
import { composeSupergraph } from "../gateway/compose.ts";
import { createPlanner } from "../gateway/plan/planner.ts";
import { columnsFile } from "../prisma/columns-file.ts";
import { loadSchemas } from "../subgraphs/load.ts";
import { composeFile, packageFile } from "../subgraphs/services.ts";
import { configurationPage } from "../tools/documents/configuration-page.ts";
import { endpointsPage } from "../tools/documents/endpoints-page.ts";
import { metricsPage } from "../tools/documents/metrics-page.ts";
import { architecturePicture } from "../tools/documents/picture.ts";
import { EMBEDDED_TYPES, embeddedTypes, TYPED_DOCUMENTS, typedDocuments } from "../tools/examples/client-code.ts";
import { licencesPage } from "../tools/supply/licences.ts";
import { parseLockFile } from "../tools/supply/lock-file.ts";
import { softwareBillOfMaterials } from "../tools/supply/sbom.ts";

const pathOf = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));
const committed = (file: string): string => readFileSync(pathOf(file), "utf8");

const lockFile = parseLockFile(committed("package-lock.json"));
const subgraphs = await loadSchemas();
const supergraph = once(() =>
  composeSupergraph(subgraphs.map(({ name, port, sdl }) => ({ name, url: `http://127.0.0.1:${port}/graphql`, sdl }))),
);
const publicSchema = once(() => createPlanner(supergraph(), []).publicSchema);

/** The generated files that are committed, with their content. */
const ARTEFACTS: Readonly<Record<string, () => string | Promise<string>>> = {
  ...Object.fromEntries(subgraphs.map(({ name, sdl }) => [`subgraphs/${name}/schema.graphql`, () => sdl])),
  "gateway/supergraph.graphql": supergraph,
  [TYPED_DOCUMENTS]: () => typedDocuments(publicSchema()),
  [EMBEDDED_TYPES]: () => embeddedTypes(publicSchema()),
  "docker-compose.yml": () => composeFile(committed("docker-compose.yml")),
  "package.json": () => packageFile(committed("package.json")),
  "docs/architecture.svg": architecturePicture,
  "prisma/columns.ts": () => columnsFile(committed("prisma/schema.prisma")),
  "docs/configuration.md": configurationPage,
  "docs/endpoints.md": endpointsPage,
  "docs/export-columns.md": exportsPage,
  "docs/metrics.md": metricsPage,
  "docs/licences.md": () => licencesPage(lockFile),
  "sbom.cdx.json": () => softwareBillOfMaterials(lockFile),
};

const USAGE = `npm run generate              writes ${Object.keys(ARTEFACTS).join(", ")}
npm run generate -- --check   lists the files that differ from the code; exits with 1 if there are any`;

const args = process.argv.slice(2);
const isCheck = args[0] === "--check";
if (args.length > (isCheck ? 1 : 0)) {
  console.log(USAGE);
  process.exit(args[0] === "--help" || args[0] === "-h" ? 0 : 1);
}
for (const [file, contentOf] of Object.entries(ARTEFACTS)) {
  const content = await contentOf();
  if (!isCheck) writeFileSync(pathOf(file), content);
  else if (readCommitted(file) !== content) {
    console.error(`${file} differs from the code: run \`npm run generate\` and commit the file`);
    process.exitCode = 1;
  }
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function readCommitted(file: string): string | null {
  try {
    return committed(file);
  } catch {
    return null;
  }
}
