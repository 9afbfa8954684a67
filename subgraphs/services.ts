import { SUBGRAPHS, subgraphVariable } from "../core/config/subgraphs.ts";

/** docker-compose.parts.yml with the services of the subgraphs, their URLs, and the gateway's dependency on them. */
export function composeFile(text: string): string {
  const sections = {
    urls: SUBGRAPHS.map(({ setting, service }) => `    ${subgraphVariable(setting)}: http://${service}:4000/graphql`),
    services: SUBGRAPHS.flatMap(({ service }) => [
      `  ${service}:`,
      "    <<: *subgraph",
      `    command: node moraine start --only ${service}`,
      "",
    ]),
    "services that the gateway needs": SUBGRAPHS.map(({ service }) => `      - ${service}`),
  };
  return Object.entries(sections).reduce((file, [title, lines]) => withSection(file, title, lines), text);
}

/** Replaces the lines between the comment that begins a section and the one that ends it. */
function withSection(text: string, title: string, lines: readonly string[]): string {
  const section = new RegExp(`(^ *# Subgraphs: ${title}, written by .*\\n)[^]*?(?=^ *# End of ${title}$)`, "m");
  if (!section.test(text)) throw new Error(`docker-compose.parts.yml has no section "Subgraphs: ${title}"`);
  return text.replace(section, (_, head: string) => [head.trimEnd(), ...lines, ""].join("\n"));
}
