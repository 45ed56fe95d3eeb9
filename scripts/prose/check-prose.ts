import type { Root } from 'nlcst';
import { search } from 'nlcst-search';
import retextEnglish from 'retext-english';
import { unified } from 'unified';
import type { VFile } from 'vfile';
import { wordList } from './word-list.ts';

const phrases = Object.keys(wordList);

function retextWordList() {
  return (tree: Root, file: VFile): void => {
    search(tree, phrases, (match, _index, _parent, phrase) => {
      const first = match[0]?.position;
      const instead = wordList[phrase];
      file.message(`"${phrase}": write ${instead}`, first && { place: first });
    });
  };
}

const processor = unified().use(retextEnglish).use(retextWordList);

/** The parser takes a period before a lower-case letter for one of an abbreviation, and part of the word. */
const sentenceEnd = /\.(?=\s|$)/g;

/** Adds a message to the file for each phrase of the word list in its prose. */
export async function checkProse(file: VFile): Promise<void> {
  const tree = processor.parse(String(file).replace(sentenceEnd, ';'));
  await processor.run(tree, file);
}
