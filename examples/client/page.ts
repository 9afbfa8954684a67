import { createApolloClient } from "./apollo.ts";
import {
  ChainDetailsDocument,
  ChainListDocument,
  type ChainListQuery,
  ChainPageDocument,
  type ChainPageQuery,
} from "./generated/graphql.ts";
import { createUrqlClient } from "./urql.ts";

type ListedChain = NonNullable<ChainListQuery["chains"]>["chains"][number];
type OpenedChain = NonNullable<ChainPageQuery["chain"]>;
type Blocks = ListedChain["blocks"];

/** Settings in the address of the page: `?client=urql&url=https://moraine.example/graphql`. */
const settings = new URLSearchParams(location.search);
const url = settings.get("url") ?? "http://127.0.0.1:4000/graphql";
const client = settings.get("client") === "urql" ? createUrqlClient(url) : createApolloClient(url);

/** Creates an element. Text that comes from a chain is never read as HTML. */
function element<Name extends keyof HTMLElementTagNameMap>(name: Name, ...content: readonly (string | Node)[]) {
  const created = document.createElement(name);
  created.append(...content);
  return created;
}

function button(text: string, onClick: () => Promise<void>): HTMLButtonElement {
  const created = element("button", text);
  created.addEventListener("click", () => void onClick().catch(showError));
  return created;
}

/** The blocks are null if the service cannot read them now. */
function blockTable(blocks: Blocks): HTMLElement {
  if (!blocks) return element("p", "The blocks cannot be read now.");
  const head = ["Block", "Time", "Transactions"].map((text) => element("th", text));
  const rows = blocks.nodes.map(({ blockNumber, blockTimestamp, txCount }) => {
    // The time is in seconds since 1970.
    const time = new Date(blockTimestamp * 1000).toISOString();
    return element("tr", ...[blockNumber, time, String(txCount)].map((text) => element("td", text)));
  });
  return element("table", element("tr", ...head), ...rows);
}

function show(...content: readonly Node[]): void {
  document.querySelector("main")?.replaceChildren(...content);
}

function showError(error: unknown): void {
  show(element("p", error instanceof Error ? error.message : String(error)));
}

/** Shows all chains with their latest blocks. */
async function showList(): Promise<void> {
  const { chains } = (await client.cached(ChainListDocument, {})) ?? (await client.read(ChainListDocument, {}));
  if (!chains) throw new Error("the chains cannot be read");
  const sections = chains.chains.map((chain) =>
    element(
      "section",
      element(
        "h2",
        button(chain.chainName, () => openChain(chain.chainId)),
      ),
      blockTable(chain.blocks),
    ),
  );
  show(element("h1", "Chains"), ...sections);
}

/**
 * Shows one chain. The cache has what the list of chains has read of it. So only the other fields are requested, and then the cache has the whole
 * chain, because it keeps one object for both queries.
 */
async function openChain(chainId: string): Promise<void> {
  const variables = { chainId };
  let page = await client.cached(ChainPageDocument, variables);
  if (!page) {
    await client.read(ChainDetailsDocument, variables);
    page = await client.cached(ChainPageDocument, variables);
  }
  if (!page?.chain) throw new Error(`chain ${chainId} cannot be read`);
  showChain(page.chain);
}

function showChain({ chainName, description, networkToken, totals, blocks }: OpenedChain): void {
  const { name, symbol } = networkToken;
  const counted = totals ? `${totals.blocks} blocks, ${totals.transactions} transactions` : "not counted yet";
  show(
    element("h1", chainName),
    element("p", description),
    element("p", `Fees are paid in ${name} (${symbol}).`),
    element("p", `In total: ${counted}.`),
    blockTable(blocks),
    button("All chains", showList),
  );
}

await showList().catch(showError);
