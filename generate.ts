import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configurationPage } from "./core/configuration-page.ts";
import { composeSupergraph } from "./gateway/compose.ts";
import { sdl as evmSdl } from "./subgraphs/evm/schema.ts";

/** Where subgraphs listen when they run alone; for registries, and for gateways that are told nothing else. */
const EVM_URL = "http://127.0.0.1:4001/graphql";

/** Everything that is committed and derived: file and content. */
const ARTEFACTS: Readonly<Record<string, () => string>> = {
  "subgraphs/evm/schema.graphql": () => evmSdl,
  "gateway/supergraph.graphql": () => composeSupergraph([{ name: "evm", url: EVM_URL, sdl: evmSdl }]),
  "docs/configuration.md": configurationPage,
};

const isCheck = process.argv.includes("--check");
for (const [file, content] of Object.entries(ARTEFACTS)) {
  const path = fileURLToPath(new URL(file, import.meta.url));
  if (!isCheck) writeFileSync(path, content());
  else if (readCommitted(path) !== content()) {
    console.error(`${file} differs from the code: run \`npm run generate\` and commit it`);
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
