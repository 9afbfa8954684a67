import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configurationPage } from "./core/config/configuration-page.ts";
import { metricsPage } from "./core/http/metrics-page.ts";
import { exportsPage } from "./exporter/rows/page.ts";
import { composeSupergraph } from "./gateway/compose.ts";
import { sdl as evmSdl } from "./subgraphs/evm/schema.ts";
import { sdl as metricsSdl } from "./subgraphs/metrics/schema.ts";
import { sdl as nodeSdl } from "./subgraphs/node/schema.ts";
import { sdl as operationsSdl } from "./subgraphs/operations/schema.ts";
import { sdl as primarySdl } from "./subgraphs/primary-network/schema.ts";
import { sdl as signaturesSdl } from "./subgraphs/signatures/schema.ts";
import { licencesPage } from "./supply/licences.ts";
import { parseLockFile } from "./supply/lock-file.ts";
import { softwareBillOfMaterials } from "./supply/sbom.ts";
import { endpointsPage } from "./tools/documents/endpoints-page.ts";

const lockFile = parseLockFile(readFileSync(new URL("package-lock.json", import.meta.url), "utf8"));

/** URLs of subgraphs that run as separate processes, used by default by schema registries and other gateways. */
const EVM = { name: "evm", url: "http://127.0.0.1:4001/graphql", sdl: evmSdl };
const PRIMARY = { name: "primary-network", url: "http://127.0.0.1:4002/graphql", sdl: primarySdl };
const NODE = { name: "node", url: "http://127.0.0.1:4003/graphql", sdl: nodeSdl };
const OPERATIONS = { name: "operations", url: "http://127.0.0.1:4004/graphql", sdl: operationsSdl };
const METRICS = { name: "metrics", url: "http://127.0.0.1:4005/graphql", sdl: metricsSdl };
const SIGNATURES = { name: "signatures", url: "http://127.0.0.1:4006/graphql", sdl: signaturesSdl };

/** The generated files that are committed, with their content. */
const ARTEFACTS: Readonly<Record<string, () => string>> = {
  "subgraphs/evm/schema.graphql": () => evmSdl,
  "subgraphs/primary-network/schema.graphql": () => primarySdl,
  "subgraphs/node/schema.graphql": () => nodeSdl,
  "subgraphs/operations/schema.graphql": () => operationsSdl,
  "subgraphs/metrics/schema.graphql": () => metricsSdl,
  "subgraphs/signatures/schema.graphql": () => signaturesSdl,
  "gateway/supergraph.graphql": () => composeSupergraph([EVM, PRIMARY, NODE, OPERATIONS, METRICS, SIGNATURES]),
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
for (const [file, content] of Object.entries(ARTEFACTS)) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  if (!isCheck) writeFileSync(path, content());
  else if (readCommitted(path) !== content()) {
    console.error(`${file} differs from the code: run \`npm run generate\` and commit the file`);
    process.exitCode = 1;
  }
}

function readCommitted(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
