import { isObject } from "../../core/formats/json.ts";
import type { KnownValues } from "./values.ts";

const MAX_VALUES = 200;
/** Pages whose ids and addresses are sent in requests. `{chainId}` stands for the id of each chain. */
const PATHS = [
  "/v1/chains",
  "/v1/chains/{chainId}/blocks?pageSize=5",
  "/v1/networks/fuji/subnets?pageSize=5",
  "/v1/networks/fuji/delegators?pageSize=5",
  "/v1/networks/fuji/l1Validators?pageSize=5",
  "/v1/networks/fuji/blockchains/p-chain/transactions?pageSize=5",
  "/v1/networks/fuji/blockchains/x-chain/transactions?pageSize=5",
];

/** Reads ids, addresses and page tokens that exist, so that some requests reach the data. */
export async function readKnownValues(url: string): Promise<KnownValues> {
  const values = new Set<string>();
  const read = async (path: string): Promise<void> => collect(await (await fetch(url + path)).json(), values);
  await read("/v1/chains");
  const chainIds = [...values].filter((value) => /^\d+$/.test(value));
  for (const path of PATHS)
    for (const chainId of path.includes("{chainId}") ? chainIds : [""]) await read(path.replace("{chainId}", chainId));
  return [...values].slice(0, MAX_VALUES);
}

/** Collects the texts in a JSON value that look like an id, an address or a token. */
function collect(value: unknown, values: Set<string>): void {
  if (typeof value === "string" && /^[\w=+/.-]{1,200}$/.test(value)) values.add(value);
  else if (Array.isArray(value)) for (const item of value) collect(item, values);
  else if (isObject(value)) for (const member of Object.values(value)) collect(member, values);
}
