import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { C_CHAIN, type OpenedEvm, openEvm } from "../federation/evm.ts";
import { run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-abi-"));
const file = (name: string): string => join(folder, name);
let opened: OpenedEvm;
beforeAll(async () => {
  opened = await openEvm();
  writeFileSync(file("moraine.json"), JSON.stringify({ evmChains: opened.database.config.evmChains }));
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const abi = (...args: readonly string[]) => abiWith({ MORAINE_CONFIG: file("moraine.json") }, args);

async function abiWith(settings: Readonly<Record<string, string>>, args: readonly string[]) {
  const env = { DATABASE_URL: opened.database.url, ...settings };
  await using process = await run("abi", env, args);
  const [code] = (await once(process.child, "close")) as [number | null];
  return { code, output: process.output() };
}

/** An ABI of `upgradeTo(address)` with this name of the parameter. */
const upgradeTo = (name: string) => [
  { type: "constructor", inputs: [] },
  { type: "function", name: "upgradeTo", inputs: [{ name, type: "address" }], outputs: [] },
];

describe("moraine abi", () => {
  it("adds ABIs that decode what is indexed already, the most specific first, until they are removed", async () => {
    const [found = ""] = await opened.values(
      `SELECT concat_ws(' 0x', '0x' || encode(t.tx_hash, 'hex'), encode(u.address, 'hex'), encode(u.implementation_address, 'hex')) AS value
       FROM evm_proxy_upgrades u JOIN evm_transactions t ON t.to_address = u.address AND t.chain_id = u.chain_id
       WHERE u.chain_id = ${C_CHAIN} AND substr(t.input, 1, 4) = '\\x3659cfe6' ORDER BY u.block_number DESC LIMIT 1`,
    );
    const [txHash = "", proxy = "", implementation = ""] = found.split(" ");
    const decoded = async () => {
      const { data } = await opened.ask(
        `{ evmTransaction(chainId: "${C_CHAIN}", txHash: "${txHash}") { decodedInput { abiSource parameters { name } } } }`,
      );
      const { abiSource, parameters } = (data as unknown as Data).evmTransaction.decodedInput;
      return `${abiSource} ${parameters[0]?.name}`;
    };
    expect(await decoded()).toBe("BUNDLED newImplementation");
    writeFileSync(file("shared.json"), JSON.stringify(upgradeTo("shared")));
    expect(await abi("add", "all", "any", file("shared.json"))).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^\d+ {2}all chains {2}all contracts {2}1 entries {2}.*shared\.json {2}added /),
    });
    expect(await decoded()).toBe("SHARED shared");
    writeFileSync(file("artefact.json"), JSON.stringify({ abi: upgradeTo("target") }));
    await abi("add", C_CHAIN, implementation, file("artefact.json"));
    expect(await decoded()).toBe("IMPLEMENTATION target");
    await using server = await serving({ match: "exact_match", abi: upgradeTo("own") });
    const { output } = await abi("add", C_CHAIN, proxy, server.url);
    expect(await decoded()).toBe("CONTRACT own");
    expect((await abi("list")).output.trim().split("\n")).toHaveLength(3);
    expect((await abi("remove", output.split(" ")[0] ?? "")).output).toMatch(/^removed: /);
    expect(await decoded()).toBe("IMPLEMENTATION target");
  });

  it("adds the ABI of a contract of the demo, which no settings name", async () => {
    writeFileSync(file("demo.json"), JSON.stringify(upgradeTo("demo")));
    const settings = { MORAINE_DEMO: "full", MORAINE_DATA: file("data") };
    const added = await abiWith(settings, ["add", C_CHAIN, "any", file("demo.json")]);
    expect(added).toEqual({ code: 0, output: expect.stringContaining(`chain ${C_CHAIN}  all contracts`) });
    await abi("remove", added.output.split(" ")[0] ?? "");
  });

  it.each<[what: string, args: readonly string[], message: string]>([
    ["an unknown chain", ["add", "1", "-", "x"], 'the chain "1" is not configured: must be all or one of'],
    ["a wrong address", ["add", "all", "0x12", "x"], 'the address is "0x12": must be any or 0x and 40 hex digits'],
    ["a missing file", ["add", "all", "any", "/none.json"], '"/none.json" cannot be read'],
    ["a file without ABI", ["add", "all", "any", "package.json"], "an ABI must be a JSON list of entries"],
    ["a file that is no JSON", ["add", "all", "any", "README.md"], '"README.md" has no valid ABI'],
    ["an unknown id", ["remove", "999"], "no ABI has the id 999"],
    ["an incomplete command", ["add", "all"], "<address> and <source> must be given; moraine abi add --help"],
  ])("refuses %s with the reason", async (_, args, message) => {
    expect(await abi(...args)).toEqual({ code: 1, output: expect.stringContaining(message) });
  });
});

interface Data {
  readonly evmTransaction: {
    readonly decodedInput: { readonly abiSource: string; readonly parameters: readonly { readonly name: string }[] };
  };
}

async function serving(document: unknown): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_, response) => response.end(JSON.stringify(document)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/contract/1/0x?fields=abi`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
