/** Words and phrases that do not belong in this project's prose, each with what to write instead. */
export const wordList: Readonly<Record<string, string>> = {
  alone: '"only" before the noun',
  beside: '"next to", "with" or "also"',
  besides: '"also", "in addition to" or "otherwise"',
  nobody: '"no one" for a person, else name the caller, the operator or the client',
  somebody: '"someone" for a person, else name the caller, the operator or the client',
  whoever: '"anyone who", or name the caller',
  whatever: '"any", "regardless of" or "anything that"',
  whichever: '"the … that" or "any"',
  verdict: '"decision"',
  verdicts: '"decisions"',
  wish: '"token request", or "want"',
  wishes: '"token requests", or "wants"',
  ripe: '"eligible"',
  'stand-in': '"fallback"',
  'stands in': '"is in", or "replaces"',
  'stand in': '"are in", or "replace"',
  'of no use': '"useless", or say what it cannot do',
  anew: '"again"',
  'goes on as': '"continues as"',
  'stays so': 'what cannot change',
  'comes to its end': '"ends"',
  'takes harm': '"is damaged", or say what breaks',
  'is told of': '"learns about"',
  lest: '"so that … does not"',
  thereby: 'a sentence of its own',
  thereof: '"of it"',
  hence: '"therefore" or "so"',
  whence: '"from which"',
  thus: '"so" or "therefore"',
  amiss: '"wrong"',
  mend: '"fix" or "repair"',
  mended: '"fixed" or "repaired"',
  'so too': '"also"',
  'knows not': '"does not know"',
  'is none': '"is not a …" or "an invalid …"',
  'are none': '"are not …" or "invalid …"',
  'lets read': '"allows … to read"',
  'of its own accord': '"automatically"',
  'of themselves': '"automatically"',
  'come to naught': '"fail"',
  utilize: '"use"',
  utilise: '"use"',
  leverage: '"use"',
  'in order to': '"to"',
  'prior to': '"before"',
  seamless: 'what it does',
  seamlessly: 'what it does',
  robust: 'what it withstands',
};

/** Text before a phrase that makes it correct English. */
export const correctAfter: Readonly<Record<string, RegExp>> = {
  // "leaves the others alone". The other text, and the next one, are descriptions of deployed
  // policies, which cannot change.
  alone: /\b(?:leave|leaves|leaving|left)\b[^.;:]*$|made by the rotation function $/i,
  beside: /authctl table restore, from tables restored $/,
  // "if there is none"
  'is none': /\bthere $/i,
  'are none': /\bthere $/i,
};

interface WordLimits {
  readonly least?: number;
  readonly most?: number;
  /** What to write if the rate is outside. */
  readonly advice: string;
}

/** How often a word may occur in 10,000 words of prose: what the prose of comparable projects shows. */
const wordRates: Readonly<Record<string, WordLimits>> = {
  where: { most: 4, advice: '"if" for a condition, "when" for an event; "where" only for a place' },
  if: { least: 12.5, most: 72, advice: '"when" for an event; "if" only for a condition' },
  when: {
    least: 22,
    most: 124,
    advice: '"when" for an event instead of "once", "as soon as" or "if"',
  },
};

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
