import { Avalanche } from "@avalanche-sdk/chainkit";

/** The official client. Telemetry and retries are off: otherwise a failing test would take two minutes and send requests to the internet. */
export function createOfficialClient(options: { readonly chainId?: string; readonly apiKey?: string } = {}): Avalanche {
  return new Avalanche({
    network: "fuji",
    ...options,
    enableTelemetry: false,
    retryConfig: { strategy: "none" },
    timeoutMs: 30_000,
  });
}

/** Every item of every page; a page that the client's schema refuses throws, with the reasons in `cause.issues`. */
export async function allItems<Page, Item>(
  pages: Promise<AsyncIterable<Page>>,
  itemsOf: (page: Page) => Item[],
): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of await pages) found.push(...itemsOf(page));
  return found;
}
