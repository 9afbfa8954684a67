import { context } from "esbuild";
import type { Browser, Page } from "puppeteer-core";
import { disposeInReverse } from "../commands/dispose-in-reverse.ts";
import { describeWithBrowser, launchBrowser, skipped } from "./support/browser.ts";
import { indexedAlphaNetwork } from "./support/indexed/alpha-network.ts";
import { type Stack, startStack } from "./support/stack.ts";

/** Serves the page in the way that examples/README.md describes, from a port of its own. Its origin is not that of Moraine. */
async function servePage() {
  const builder = await context({
    entryPoints: ["examples/client/page.ts"],
    bundle: true,
    format: "esm",
    outdir: "examples/client",
    write: false,
    logLevel: "error",
  });
  const { port } = await builder.serve({ servedir: "examples/client", host: "127.0.0.1", port: 0 });
  return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => builder.dispose() };
}

interface Chain {
  readonly chainId: string;
  readonly chainName: string;
  readonly description: string;
}

/** What REST answers about all chains and their latest blocks. */
async function chainsByRest(stack: Stack) {
  const { chains } = (await stack.get("/v1/chains")).body as { chains: Chain[] };
  return Promise.all(
    chains.map(async (chain) => {
      const { body } = await stack.get(`/v1/chains/${chain.chainId}/blocks?pageSize=5`);
      const { blocks } = body as { blocks: { blockNumber: string; txCount: number }[] };
      return { ...chain, blocks: blocks.map(({ blockNumber, txCount }) => [blockNumber, String(txCount)]) };
    }),
  );
}

/** Numbers and transaction counts of the blocks in the tables of the page. */
const shownBlocks = (page: Page): Promise<string[][]> =>
  page.$$eval("tr", (rows) => {
    const cells = rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent ?? ""));
    return cells.filter(({ length }) => length > 0).map(([number = "", , count = ""]) => [number, count]);
  });

const shownTexts = (page: Page, selector: string): Promise<string[]> =>
  page.$$eval(selector, (elements) => elements.map(({ textContent }) => textContent ?? ""));

/** Clicks the button with a text, and waits until the page has the heading. */
async function click(page: Page, text: string, heading: string): Promise<void> {
  await page.locator(`button ::-p-text(${text})`).click();
  await page.waitForSelector(`h1 ::-p-text(${heading})`);
}

describeWithBrowser(`the example page in Chromium${skipped}`, () => {
  const opened: AsyncDisposable[] = [];
  const keep = <Resource extends AsyncDisposable>(resource: Resource): Resource => {
    opened.push(resource);
    return resource;
  };
  let browser: Browser;
  let stack: Stack;
  let origin: string;

  beforeAll(async () => {
    const database = keep(await indexedAlphaNetwork());
    stack = keep(await startStack({ database, config: database.config }));
    ({ origin } = keep(await servePage()));
    browser = await launchBrowser();
    keep({ [Symbol.asyncDispose]: () => browser.close() });
  });
  afterAll(() => disposeInReverse(opened));

  /** Opens the page. `operations` are the documents that it has sent, and `warnings` what it has printed. */
  async function openPage(client: string) {
    const page = await browser.newPage();
    const operations: string[] = [];
    const warnings: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") operations.push(JSON.parse(request.postData() ?? "{}").query);
    });
    page.on("console", (message) => {
      if (["warn", "error"].includes(message.type())) warnings.push(message.text());
    });
    page.on("pageerror", (error) => warnings.push(String(error)));
    const url = `${stack.url}/graphql`;
    await page.goto(`${origin}/?${new URLSearchParams({ client, url })}`);
    await page.waitForSelector("h1");
    return { page, operations, warnings };
  }

  describe.each(["apollo", "urql"])("with %s", (client) => {
    it("shows all chains with their latest blocks, without a warning of the client", async () => {
      const { page, operations, warnings } = await openPage(client);
      const expected = await chainsByRest(stack);
      expect(expected.length).toBeGreaterThan(1);
      expect(await shownTexts(page, "h2")).toEqual(expected.map(({ chainName }) => chainName));
      expect(await shownBlocks(page)).toEqual(expected.flatMap(({ blocks }) => blocks));
      expect(operations).toEqual([expect.stringContaining("query ChainList")]);
      expect(warnings).toEqual([]);
      await page.close();
    });

    it("shows a chain of which two queries have each read a part, as one object of the cache", async () => {
      const { page, operations, warnings } = await openPage(client);
      const [chain] = await chainsByRest(stack);
      if (!chain) throw new Error("the recording has no chain");
      await click(page, chain.chainName, chain.chainName);
      expect(operations.slice(1)).toEqual([expect.stringContaining("query ChainDetails")]);
      expect(operations[1]).not.toMatch(/chainName|blocks\(/);
      expect(await shownTexts(page, "p")).toContain(chain.description);
      expect(await shownBlocks(page)).toEqual(chain.blocks);
      // Both pages again, from the cache alone.
      await click(page, "All chains", "Chains");
      await click(page, chain.chainName, chain.chainName);
      expect(await shownBlocks(page)).toEqual(chain.blocks);
      expect(operations).toHaveLength(2);
      expect(warnings).toEqual([]);
      await page.close();
    });
  });
});
