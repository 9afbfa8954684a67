import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { configSchema } from "../core/config/config-schema.ts";

const pages = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.md"])
  .toString()
  .trim()
  .split("\n")
  .filter((page) => existsSync(page));

interface Link {
  readonly file: string;
  readonly heading: string | undefined;
}

/** The relative links of a page outside of code. */
function linksOf(page: string): Link[] {
  const text = readFileSync(page, "utf8")
    .replaceAll(/^```[\s\S]*?^```/gm, "")
    .replaceAll(/`[^`]*`/g, "code");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z]+:/i.test(target)) return [];
    const [path = "", heading] = target.split("#");
    return [{ file: path === "" ? page : normalize(join(dirname(page), path)), heading }];
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...readFileSync(page, "utf8").matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => text);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe("the documents", () => {
  it("link to files and headings that exist", () => {
    const links = pages.flatMap((page) => linksOf(page).map((link) => ({ page, ...link })));
    expect(links.length).toBeGreaterThan(300);
    const broken = links.filter(
      ({ file, heading }) =>
        !existsSync(file) || (heading !== undefined && file.endsWith(".md") && !anchorsOf(file).includes(heading)),
    );
    expect(broken).toEqual([]);
  });

  it("have settings that Moraine accepts", () => {
    const examples = pages
      .toSorted()
      .flatMap((page) =>
        [
          ...readFileSync(page, "utf8").matchAll(/^```json\n(\{\n[^`]*"(?:evmChains|primaryNetworks)":[^`]*)```$/gm),
        ].map(([, text = ""]) => ({ page, errors: configSchema.safeParse(JSON.parse(text)).error?.issues })),
      );
    expect(examples).toEqual([
      { page: "docs/behaviour/cells.md", errors: undefined },
      { page: "docs/operate.md", errors: undefined },
      { page: "docs/operate/private-network.md", errors: undefined },
    ]);
  });

  it.each(["docs", "docs/behaviour", "docs/decisions", "docs/operate"])(
    "list each page of %s in its README",
    (folder) => {
      const index = join(folder, "README.md");
      const listed = new Set(linksOf(index).map(({ file }) => file));
      const own = pages.filter((page) => dirname(page) === folder && page !== index);
      expect(own.filter((page) => !listed.has(page))).toEqual([]);
    },
  );
});
