import type { Root } from 'nlcst';
import { search } from 'nlcst-search';
import retextEnglish from 'retext-english';
import { unified } from 'unified';
import type { VFile } from 'vfile';
import { correctAfter, wordList } from './word-list.ts';

const phrases = Object.keys(wordList);

/** How much of the text before a phrase decides whether an exception applies. */
const longestContext = 100;

/** By the sentence before the phrase, as far as it matters, on one line. */
function isCorrect(phrase: string, prose: string, offset: number): boolean {
  const before = prose.slice(Math.max(0, offset - longestContext), offset);
  return correctAfter[phrase]?.test(before.replace(/\s+/g, ' ')) ?? false;
}

function retextWordList() {
  return (tree: Root, file: VFile): void => {
    search(tree, phrases, (match, _index, _parent, phrase) => {
      const first = match[0]?.position;
      if (first && isCorrect(phrase, String(file), first.start.offset ?? 0)) return;
      file.message(`"${phrase}": write ${wordList[phrase]}`, first && { place: first });
    });
  };
}

const processor = unified().use(retextEnglish).use(retextWordList);

/** The parser takes a period before a lower-case letter for one of an abbreviation, and part of the word. */
const sentenceEnd = /\.(?=\s|$)/g;

/** Finds every phrase that the parser can find, and some more. It saves parsing most files. */
const candidate = new RegExp(phrases.map((phrase) => phrase.replace(/\W/g, '\\W*')).join('|'), 'i');

/** Adds a message to the file for each phrase of the word list in its prose. */
export async function checkProse(file: VFile): Promise<void> {
  if (!candidate.test(String(file))) return;
  const tree = processor.parse(String(file).replace(sentenceEnd, ';'));
  await processor.run(tree, file);
}
