import type { Browser, HTTPRequest, Page } from "puppeteer-core";
import { describeWithBrowser, launchBrowser, skipped } from "./support/browser.ts";
import { indexedAlphaNetwork } from "./support/indexed/alpha-network.ts";
import { type Stack, startStack } from "./support/stack.ts";

/** An operation that the page shows of each document. */
const OPERATIONS = [
  ["REST", "/v1/chains"],
  ["REST, hosted dialect", "/v1/chains"],
  ["Node interface", "/ext/health#health.liveness"],
] as const;

/** Problems of a page: errors, messages of the console such as violations of its content policy, and requests to other servers. */
function problemsOf(page: Page, origin: string): string[] {
  const problems: string[] = [];
  const isForeign = (request: HTTPRequest) =>
    !/^(data:|about:)/.test(request.url()) && !request.url().startsWith(origin);
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    if (isForeign(request)) problems.push(request.url());
  });
  return problems;
}

describeWithBrowser(`the page /docs in Chromium${skipped}`, () => {
  let browser: Browser;
  let database: Awaited<ReturnType<typeof indexedAlphaNetwork>>;
  let stack: Stack;

  beforeAll(async () => {
    database = await indexedAlphaNetwork();
    stack = await startStack({ database, config: database.config });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await stack[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("shows each document and sends its requests, in windows of 390 and 1280 pixels", async () => {
    const page = await browser.newPage();
    const problems = problemsOf(page, stack.url);
    await page.goto(`${stack.url}/docs/`);
    for (const [name, operation] of OPERATIONS) {
      await page.setViewport({ width: 390, height: 900 });
      await page.locator(`nav a ::-p-text(${name})`).click();
      await page.locator(`nav a[aria-current] ::-p-text(${name})`).wait();
      await page.locator(`.opblock-summary:has([data-path="${operation}"]) .opblock-summary-control`).click();
      await page.locator(".opblock.is-open button.execute").click();
      const status = await page.waitForSelector(".live-responses-table tr.response .response-col_status");
      expect([name, await status?.evaluate(({ textContent }) => textContent)]).toEqual([name, "200"]);
      for (const width of [390, 1280]) {
        await page.setViewport({ width, height: 900 });
        expect([name, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([name, width]);
      }
    }
    expect(problems).toEqual([]);
  });

  it("loads its files from a path with and without a slash at its end", async () => {
    for (const path of ["/docs", "/docs/"]) {
      const html = await (await fetch(stack.url + path)).text();
      const files = [...html.matchAll(/(?:src|href)="([^"?]*\.(?:js|css))"/g)].map(([, file = ""]) => file);
      expect(files).toHaveLength(4);
      for (const file of files)
        expect([file, (await fetch(new URL(file, stack.url + path))).status]).toEqual([file, 200]);
    }
  });
});
