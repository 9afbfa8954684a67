const STRUCTURE = /["{}[\]]/g;
const BLANK_OR_COMMA = /[\s,]*/y;

/**
 * The texts of the elements of a JSON array, byte for byte, so that large numbers and the spelling of strings are kept.
 * The text must be valid JSON.
 */
export function elementsOf(arrayText: string): string[] {
  const elements: string[] = [];
  let at = afterBlank(arrayText, arrayText.indexOf("[") + 1);
  while (arrayText[at] !== "]") {
    const end = endOfValue(arrayText, at);
    elements.push(arrayText.slice(at, end));
    at = afterBlank(arrayText, end);
  }
  return elements;
}

/** The texts of the members of a JSON object by name, byte for byte. The last of several members of one name counts. */
export function membersOf(objectText: string): Map<string, string> {
  const members = new Map<string, string>();
  let at = afterBlank(objectText, objectText.indexOf("{") + 1);
  while (objectText[at] !== "}") {
    const nameEnd = endOfString(objectText, at);
    const start = afterBlank(objectText, objectText.indexOf(":", nameEnd) + 1);
    const end = endOfValue(objectText, start);
    members.set(JSON.parse(objectText.slice(at, nameEnd)), objectText.slice(start, end));
    at = afterBlank(objectText, end);
  }
  return members;
}

function afterBlank(text: string, at: number): number {
  BLANK_OR_COMMA.lastIndex = at;
  BLANK_OR_COMMA.test(text);
  return BLANK_OR_COMMA.lastIndex;
}

function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === "\\") slashes += 1;
  return slashes % 2 === 1;
}

function endOfValue(text: string, start: number): number {
  if (text[start] === '"') return endOfString(text, start);
  if (text[start] === "{" || text[start] === "[") return endOfNest(text, start);
  let end = start;
  while (!/[\s,\]}]/.test(text[end] ?? ",")) end += 1;
  return end;
}

function endOfNest(text: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    STRUCTURE.lastIndex = at;
    const mark = STRUCTURE.exec(text);
    if (!mark) return text.length;
    if (mark[0] === '"') at = endOfString(text, mark.index);
    else {
      depth += mark[0] === "{" || mark[0] === "[" ? 1 : -1;
      at = mark.index + 1;
    }
  } while (depth > 0);
  return at;
}
