import { wordRates } from './word-list.ts';

const word = /\p{L}[\p{L}'-]*/gu;

export interface WordRate {
  readonly word: string;
  /** In 10,000 words. */
  readonly rate: number;
  readonly least: number;
  readonly most: number;
  readonly advice: string;
}

/** How often each word that has a limit stands in the prose, and how many words the prose has. */
export function countWordRates(prose: string): { total: number; rates: readonly WordRate[] } {
  const words = prose.match(word) ?? [];
  const rates = Object.entries(wordRates).map(([name, { least = 0, most = Infinity, advice }]) => {
    const count = words.filter((each) => each.toLowerCase() === name).length;
    return { word: name, rate: (count / words.length) * 10_000, least, most, advice };
  });
  return { total: words.length, rates };
}
