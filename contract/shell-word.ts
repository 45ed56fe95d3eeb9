/** Words of these characters, of which no shell changes any within a word. */
const plainWord = /^[A-Za-z0-9./_-][A-Za-z0-9._~:/@%+=-]*$/;

/** A quote within quotes for a POSIX shell: end, quote, begin. */
export const escapedQuote = String.raw`'\''`;

/** A word in quotes, which every POSIX shell reads back as it is. */
export function inQuotes(word: string): string {
  return `'${word.replaceAll("'", escapedQuote)}'`;
}

/** A word that a POSIX shell reads unchanged, in quotes if it needs them. */
export function quoteWord(word: string): string {
  return plainWord.test(word) ? word : inQuotes(word);
}
