import { SUBGRAPHS, subgraphVariable } from "../core/config/subgraphs.ts";

/** docker-compose.yml with the services of the subgraphs, their URLs, and the gateway's dependency on them. */
export function composeFile(text: string): string {
  const sections = {
    urls: SUBGRAPHS.map(({ setting, service }) => `    ${subgraphVariable(setting)}: http://${service}:4000/graphql`),
    services: SUBGRAPHS.flatMap(({ service }) => [
      `  ${service}:`,
      "    <<: *subgraph",
      `    command: npm run start:${service}`,
      "",
    ]),
    "services that the gateway needs": SUBGRAPHS.map(({ service }) => `      - ${service}`),
  };
  return Object.entries(sections).reduce((file, [title, lines]) => withSection(file, title, lines), text);
}

/** Replaces the lines between the comment that begins a section and the one that ends it. */
function withSection(text: string, title: string, lines: readonly string[]): string {
  const section = new RegExp(`(^ *# Subgraphs: ${title}, written by .*\\n)[^]*?(?=^ *# End of ${title}$)`, "m");
  if (!section.test(text)) throw new Error(`docker-compose.yml has no section "Subgraphs: ${title}"`);
  return text.replace(section, (_, head: string) => [head.trimEnd(), ...lines, ""].join("\n"));
}

/** package.json with a script `start:<service>` for each subgraph, before that of the gateway. */
export function packageFile(text: string): string {
  const content = JSON.parse(text) as { readonly scripts: Readonly<Record<string, string>> };
  const names = SUBGRAPHS.map(({ service }) => `start:${service}`);
  const command = content.scripts["start:gateway"] ?? "";
  const own = names.map((name): [string, string] => [name, command.replace("start:gateway", name)]);
  const others = Object.entries(content.scripts).filter(([name]) => !names.includes(name));
  const gateway = others.findIndex(([name]) => name === "start:gateway");
  const scripts = Object.fromEntries(others.toSpliced(gateway, 0, ...own));
  return `${JSON.stringify({ ...content, scripts }, null, 2)}\n`;
}
