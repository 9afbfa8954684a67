// Finds positions in a source map. `SourceMap` of Node.js makes an object for each of the hundreds of thousands of segments of a map, which
// holds the event loop for about 100 ms and takes tens of megabytes. Here, a map is its text, and the place in it where each line begins.
// To find these places takes up to 50 ms for the largest map, so the build writes them into a file beside each map.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const COMMA = ",".charCodeAt(0);
const SEMICOLON = ";".charCodeAt(0);
/** The values of the characters of VLQ numbers. */
const VALUES = new Uint8Array(128);
for (const [value, character] of [...ALPHABET].entries()) VALUES[character.charCodeAt(0)] = value;

/** Numbers that are kept for each line of the bundle: the place of its first segment, and the sums of all segments before it. */
const NUMBERS_OF_LINE = 4;

/** The file with the places where the lines of a map begin. */
export function linesFile(mapFile) {
  return `${mapFile}.lines`;
}

/** The content of `linesFile`, for the text of a source map. */
export function findLines(text) {
  return Buffer.from(linesOf(JSON.parse(text).mappings).buffer);
}

/**
 * Parses the text of a source map. Returns a function that returns the source and the position in it for a line and a column of the bundle;
 * null if the map has none. All lines and columns begin at 0. `found` is what `findLines` has returned for this map.
 */
export function parseSourceMap(text, found = findLines(text)) {
  const { mappings, sources } = JSON.parse(text);
  // The memory of a small buffer may be that of others, too, and begin at any address.
  const lines = new Int32Array(Uint8Array.from(found).buffer);
  return (line, column) => {
    if (line * NUMBERS_OF_LINE >= lines.length) return null;
    const cursor = cursorAt(lines, line);
    let position = null;
    while (cursor.at < mappings.length && mappings.charCodeAt(cursor.at) !== SEMICOLON) {
      const hasSource = readSegment(cursor, mappings);
      if (cursor.bundleColumn > column) break;
      position = hasSource ? { source: sources[cursor.source], line: cursor.line, column: cursor.column } : null;
    }
    return position;
  };
}

function linesOf(mappings) {
  const lines = [];
  const cursor = { at: 0, bundleColumn: 0, source: 0, line: 0, column: 0 };
  for (;;) {
    lines.push(cursor.at, cursor.source, cursor.line, cursor.column);
    cursor.bundleColumn = 0;
    while (cursor.at < mappings.length && mappings.charCodeAt(cursor.at) !== SEMICOLON) readSegment(cursor, mappings);
    if (cursor.at >= mappings.length) return Int32Array.from(lines);
    cursor.at++;
  }
}

function cursorAt(lines, line) {
  const [at, source, sourceLine, column] = lines.subarray(line * NUMBERS_OF_LINE);
  return { at, bundleColumn: 0, source, line: sourceLine, column };
}

/** Adds the next segment to the sums. Returns false if it has no source. */
function readSegment(cursor, mappings) {
  cursor.bundleColumn += readNumber(cursor, mappings);
  const hasSource = !isAtEnd(cursor, mappings);
  if (hasSource) {
    cursor.source += readNumber(cursor, mappings);
    cursor.line += readNumber(cursor, mappings);
    cursor.column += readNumber(cursor, mappings);
    // The name, if there is one.
    if (!isAtEnd(cursor, mappings)) readNumber(cursor, mappings);
  }
  if (mappings.charCodeAt(cursor.at) === COMMA) cursor.at++;
  return hasSource;
}

function isAtEnd({ at }, mappings) {
  if (at >= mappings.length) return true;
  const character = mappings.charCodeAt(at);
  return character === COMMA || character === SEMICOLON;
}

/** The lowest bit of a number is its sign, and bit 5 of a character says that another one follows. */
function readNumber(cursor, mappings) {
  let number = 0;
  let shift = 0;
  let value = 0;
  do {
    value = VALUES[mappings.charCodeAt(cursor.at++)];
    number |= (value & 31) << shift;
    shift += 5;
  } while (value & 32);
  return number & 1 ? -(number >>> 1) : number >>> 1;
}
