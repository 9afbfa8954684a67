import { Args, Ctx, Query, Resolver } from "type-graphql";
import type { MetricsContext } from "../context.ts";
import { SearchArgs, SearchResults } from "./types.ts";

/** Cursors belong to this list. */
const LIST = "search";

@Resolver()
export class SearchResolver {
  @Query(() => SearchResults, {
    description: "Search all configured EVM chains and primary networks by number, hash, id, address or name.",
  })
  async search(
    @Args(() => SearchArgs) { text, size, after }: SearchArgs,
    @Ctx() { search, cursors, work }: MetricsContext,
  ): Promise<SearchResults> {
    const before = cursors.read(LIST, [text], after);
    const { end, ...found } = await search.search(text, size, work, before?.position);
    return { ...found, endCursor: end && cursors.sign(LIST, [text], { position: end, heads: [] }) };
  }
}
