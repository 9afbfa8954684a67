import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { print, printSchema } from "graphql";
import { VERSION } from "../core/observability/version.ts";
import { exportsPage } from "../exporter/rows/page.ts";
import { composeSupergraph, requireOneDescription } from "../gateway/compose.ts";
import { createPlanner } from "../gateway/plan/planner.ts";
import { composeVariant, type VariantName } from "../gateway/schemas/variants.ts";
import { columnsFile } from "../prisma/columns-file.ts";
import { loadSchemas } from "../subgraphs/load.ts";
import { composeFile } from "../subgraphs/services.ts";
import { commandsPage } from "../tools/documents/commands-page.ts";
import { configurationPage } from "../tools/documents/configuration-page.ts";
import { endpointsPage } from "../tools/documents/endpoints-page.ts";
import { grafanaDashboard } from "../tools/documents/grafana-dashboard.ts";
import { metricsPage } from "../tools/documents/metrics-page.ts";
import { architecturePicture } from "../tools/documents/picture.ts";
import { EMBEDDED_TYPES, embeddedTypes, TYPED_DOCUMENTS, typedDocuments } from "../tools/examples/client-code.ts";
import { licencesPage } from "../tools/supply/licences.ts";
import { parseLockFile } from "../tools/supply/lock-file.ts";
import { softwareBillOfMaterials } from "../tools/supply/sbom.ts";
import { COMMANDS } from "./definitions/commands.ts";
import type { Outcome } from "./program/command.ts";
import { changelogWith, changesSince } from "./schema/release-changes.ts";
import { lastRelease, releaseFiles } from "./schema/releases.ts";

const pathOf = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));
const committed = (file: string): string => readFileSync(pathOf(file), "utf8");

const lockFile = parseLockFile(committed("package-lock.json"));
const subgraphs = await loadSchemas();
const supergraph = once(() => {
  requireOneDescription(subgraphs);
  return composeSupergraph(
    subgraphs.map(({ name, port, sdl }) => ({ name, url: `http://127.0.0.1:${port}/graphql`, sdl })),
  );
});
const variantText = (name: VariantName): string => `${print(composeVariant(supergraph(), name))}\n`;
const publicSchema = once(() => createPlanner(supergraph(), []).publicSchema);

/** The generated files that are committed, with their content. */
const ARTEFACTS: Readonly<Record<string, () => string | Promise<string>>> = {
  ...Object.fromEntries(subgraphs.map(({ name, sdl }) => [`subgraphs/${name}/schema.graphql`, () => sdl])),
  "gateway/supergraph.graphql": supergraph,
  "gateway/api.graphql": () => variantText("api"),
  "gateway/public.graphql": () => variantText("public"),
  [TYPED_DOCUMENTS]: () => typedDocuments(publicSchema()),
  [EMBEDDED_TYPES]: () => embeddedTypes(publicSchema()),
  "docker-compose.parts.yml": () => composeFile(committed("docker-compose.parts.yml")),
  "docs/architecture.svg": architecturePicture,
  "prisma/columns.ts": () => columnsFile(committed("prisma/schema.prisma")),
  "docs/commands.md": () => commandsPage(COMMANDS),
  "deploy/grafana/moraine.json": grafanaDashboard,
  "docs/configuration.md": configurationPage,
  "docs/endpoints.md": endpointsPage,
  "docs/export-columns.md": exportsPage,
  "docs/metrics.md": metricsPage,
  "docs/licences.md": () => licencesPage(lockFile),
  "sbom.cdx.json": () => softwareBillOfMaterials(lockFile),
  "CHANGELOG.md": async () =>
    changelogWith(committed("CHANGELOG.md"), await changesSince(lastRelease(), printSchema(publicSchema()), subgraphs)),
};

/**
 * `npm run generate`: writes the generated files, or lists those that differ from the code. `isRelease` also writes the schemas with which later
 * versions are compared.
 */
export async function generateFiles(isCheck: boolean, isRelease: boolean): Promise<Outcome> {
  const different: string[] = [];
  const released = isRelease ? Object.entries(releaseFiles(VERSION, publicSchema(), subgraphs)) : [];
  for (const [file, contentOf] of [...Object.entries(ARTEFACTS), ...released]) {
    const content = typeof contentOf === "string" ? contentOf : await contentOf();
    if (readCommitted(file) === content) continue;
    different.push(file);
    if (isCheck) continue;
    mkdirSync(dirname(pathOf(file)), { recursive: true });
    writeFileSync(pathOf(file), content);
  }
  const advice = "differs from the code: run `npm run generate` and commit the file";
  return {
    text:
      different.map((file) => (isCheck ? `${file} ${advice}` : `${file} written`)).join("\n") ||
      "no file differs from the code",
    data: { different },
    exitCode: isCheck && different.length > 0 ? 1 : 0,
  };
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
