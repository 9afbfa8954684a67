import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configurationPage } from "./core/configuration-page.ts";
import { composeSupergraph } from "./gateway/compose.ts";
import { sdl as evmSdl } from "./subgraphs/evm/schema.ts";
import { sdl as nodeSdl } from "./subgraphs/node/schema.ts";
import { sdl as primarySdl } from "./subgraphs/primary-network/schema.ts";

/** Where subgraphs listen when they run alone; for registries, and for gateways that are told nothing else. */
const EVM = { name: "evm", url: "http://127.0.0.1:4001/graphql", sdl: evmSdl };
const PRIMARY = { name: "primary-network", url: "http://127.0.0.1:4002/graphql", sdl: primarySdl };
const NODE = { name: "node", url: "http://127.0.0.1:4003/graphql", sdl: nodeSdl };

/** Everything that is committed and derived: file and content. */
const ARTEFACTS: Readonly<Record<string, () => string>> = {
  "subgraphs/evm/schema.graphql": () => evmSdl,
  "subgraphs/primary-network/schema.graphql": () => primarySdl,
  "subgraphs/node/schema.graphql": () => nodeSdl,
  "gateway/supergraph.graphql": () => composeSupergraph([EVM, PRIMARY, NODE]),
  "docs/configuration.md": configurationPage,
};

const USAGE = `npm run generate              writes ${Object.keys(ARTEFACTS).join(", ")}
npm run generate -- --check   says which of these differ from the code, and ends with 1 when one does`;

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
