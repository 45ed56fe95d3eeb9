import { maxJsonDepth } from '../../contract/bounds.ts';
import { isJsonObject, type JsonObject } from '../../contract/json-object.ts';

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b;
}

function isClosing(code: number): boolean {
  return code === 0x7d || code === 0x5d;
}

/** Whether the character is after an odd number of backslashes. */
function isEscaped(text: string, index: number): boolean {
  let first = index;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (index - first) % 2 === 1;
}

/** Index of the quote that ends the string which starts at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Number of members in all objects of the text; undefined if it nests too deep. */
function countWrittenMembers(text: string): number | undefined {
  let members = 0;
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === quote) index = endOfString(text, index);
    else if (code === colon) members += 1;
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth > maxJsonDepth) return undefined;
  }
  return members;
}

function countParsedMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: readonly unknown[] = Object.values(value);
  const own = Array.isArray(value) ? 0 : values.length;
  return values.reduce<number>((sum, item) => sum + countParsedMembers(item), own);
}

/**
 * Parses a JSON object without repeated members. `JSON.parse` keeps the last of two members with
 * one name and other parsers keep the first, so an ambiguous token is refused. Each colon outside a
 * string is a member, so a repeated member leaves fewer parsed members than colons.
 *
 * @returns undefined if the text is not such an object, or nests deeper than `maxJsonDepth`.
 */
export function parseJsonObject(text: string): JsonObject | undefined {
  const written = countWrittenMembers(text);
  if (written === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isJsonObject(value) && countParsedMembers(value) === written ? value : undefined;
}
