import { readFileSync } from "node:fs";

const SOURCE = new URL("../../docs/architecture.txt", import.meta.url);

const WIDTH = 640;
const COLUMNS = 24;
const MARGIN = 10;
const ROW_GAP = 46;
const PADDING = 12;
const NAME_HEIGHT = 24;
const LINE_HEIGHT = 21;
const HEAD = 8;

interface Box {
  readonly id: string;
  readonly isOurs: boolean;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly height: number;
  readonly name: string;
  readonly lines: readonly string[];
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly x: number;
  readonly label: string;
}

interface Picture {
  readonly title: string;
  readonly boxes: ReadonlyMap<string, Box>;
  readonly arrows: readonly Arrow[];
  readonly height: number;
}

const STYLE = `text { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", sans-serif; font-size: 16px; fill: #1f2328 }
.name { font-size: 18px; font-weight: 600 }
.ours { fill: #e8f1fb; stroke: #2f6fab; stroke-width: 1.5 }
.others { fill: #f6f8fa; stroke: #848d97; stroke-width: 1.5; stroke-dasharray: 5 4 }
.line { stroke: #57606a; stroke-width: 1.5 }
.head { fill: #57606a }
.label { fill: #57606a; font-size: 15px }`;

/** Content of docs/architecture.svg: the boxes and arrows of docs/architecture.txt. Throws if an arrow names no box. */
export function architecturePicture(): string {
  const { title, boxes, arrows, height } = parsePicture(readFileSync(SOURCE, "utf8"));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    `<style>${STYLE}</style>`,
    `<rect width="${WIDTH}" height="${height}" rx="8" fill="#ffffff"/>`,
    ...[...boxes.values()].flatMap(drawBox),
    ...arrows.flatMap((arrow) => drawArrow(arrow, boxes)),
    "</svg>",
    "",
  ].join("\n");
}

function parsePicture(text: string): Picture {
  const boxes = new Map<string, Box>();
  const arrows: Arrow[] = [];
  let title = "";
  let top = MARGIN;
  let bottom = MARGIN;
  for (const line of text.split("\n").filter((one) => one !== "" && !one.startsWith("#"))) {
    const [, kind = "", rest = ""] = /^(\w+) ?(.*)$/.exec(line) ?? [];
    if (kind === "title") title = rest;
    else if (kind === "row") top = bottom === MARGIN ? MARGIN : bottom + ROW_GAP;
    else if (kind === "arrow") arrows.push(parseArrow(rest));
    else {
      const box = parseBox(rest, kind === "ours", top);
      boxes.set(box.id, box);
      bottom = Math.max(bottom, box.top + box.height);
    }
  }
  return { title, boxes, arrows, height: bottom + MARGIN };
}

function parseBox(text: string, isOurs: boolean, top: number): Box {
  const [, id = "", from = "", to = "", label = ""] = /^(\S+) (\d+)-(\d+) (.+)$/.exec(text) ?? [];
  const [name = "", ...lines] = label.split(" | ").map(escaped);
  const height = 2 * PADDING + NAME_HEIGHT + lines.length * LINE_HEIGHT - 4;
  return { id, isOurs, left: edge(Number(from) - 1), right: edge(Number(to)), top, height, name, lines };
}

function parseArrow(text: string): Arrow {
  const [, from = "", to = "", column = "", label = ""] = /^(\S+) -> (\S+) at (\d+) ?(.*)$/.exec(text) ?? [];
  return { from, to, x: edge(Number(column) - 0.5), label: escaped(label) };
}

/** The position of the left edge of a column, counted from 0. */
function edge(column: number): number {
  return Math.round(MARGIN + (column * (WIDTH - 2 * MARGIN)) / COLUMNS);
}

function drawBox({ isOurs, left, right, top, height, name, lines }: Box): string[] {
  const centre = (left + right) / 2;
  const kind = isOurs ? "ours" : "others";
  return [
    `<rect class="${kind}" x="${left}" y="${top}" width="${right - left}" height="${height}" rx="6"/>`,
    `<text class="name" x="${centre}" y="${top + PADDING + 16}" text-anchor="middle">${name}</text>`,
    ...lines.map(
      (line, index) =>
        `<text x="${centre}" y="${top + PADDING + 16 + (index + 1) * LINE_HEIGHT}" text-anchor="middle">${line}</text>`,
    ),
  ];
}

function drawArrow({ from, to, x, label }: Arrow, boxes: ReadonlyMap<string, Box>): string[] {
  const [start, end] = [boxes.get(from), boxes.get(to)];
  if (!start || !end) throw new Error(`docs/architecture.txt has no box for the arrow ${from} -> ${to}`);
  const isDown = start.top < end.top;
  const y1 = isDown ? start.top + start.height : start.top;
  const y2 = isDown ? end.top : end.top + end.height;
  const neck = y2 + (isDown ? -HEAD : HEAD);
  // A long arrow has its label near its end, where no box is beside it.
  const middle = Math.abs(y2 - y1) > ROW_GAP ? y2 + ((isDown ? -1 : 1) * ROW_GAP) / 2 : (y1 + y2) / 2;
  return [
    `<path class="line" d="M${x} ${y1}V${neck}"/>`,
    `<path class="head" d="M${x} ${y2}L${x - 5} ${neck}H${x + 5}Z"/>`,
    ...(label ? [`<text class="label" x="${x + 9}" y="${middle + 5}">${label}</text>`] : []),
  ];
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
