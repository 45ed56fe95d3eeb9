/**
 * Characters that control a terminal or hide text (CWE-150): controls (C0, DEL, C1), format
 * characters (bidirectional controls, invisible ones, tags) and separators of lines. U+200C and
 * U+200D stay: words of some languages need them, and they move nothing.
 */
const unprintable = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

function escapeCharacter(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}

/**
 * Makes untrusted text safe for a terminal. Line breaks stay; every other character that is not
 * printable becomes its JSON escape. JSON stays the same document.
 */
export function toPrintable(text: string): string {
  return text.replaceAll(unprintable, (found) => (found === '\n' ? found : escapeCharacter(found)));
}

/** The same for text that must stay on one line, such as a cell of a table. */
export function toPrintableLine(text: string): string {
  return text.replaceAll(unprintable, escapeCharacter);
}
