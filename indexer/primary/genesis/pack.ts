import { readFileSync, writeFileSync } from "node:fs";
import { formatId } from "../../../core/formats/id-text.ts";
import { buildGenesis } from "./build.ts";
import { packGenesis, unpackGenesis } from "./packed-genesis.ts";
import { parseGenesisFile } from "./parse.ts";

/** `node --import tsx indexer/primary/genesis/pack.ts <genesis.json> <packed.gz>`: packs a node's genesis file. */
function main([file, table]: readonly string[]): void {
  if (file === undefined || table === undefined)
    throw new Error("two arguments are required: the path of a genesis file and that of the packed file");
  const packed = packGenesis(parseGenesisFile(readFileSync(file, "utf8"), file));
  writeFileSync(table, packed);
  console.log(`${table}: ${packed.length} bytes, genesis ${formatId(buildGenesis(unpackGenesis(packed)).id)}`);
}

main(process.argv.slice(2));
