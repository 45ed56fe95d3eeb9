import { writeParts } from '../support/generated-parts.ts';
import {
  codeBlocks,
  countBlocks,
  describeBlocks,
  markdownFiles,
  readPage,
} from '../support/markdown.ts';

/** Writes into docs/README.md how many of the documented commands a test runs. */
const blocks = markdownFiles().flatMap((page) => codeBlocks(readPage(page)));
writeParts(['README.md'], { commands: describeBlocks(countBlocks(blocks)) });
