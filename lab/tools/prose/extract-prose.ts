import { parseSync, Visitor } from 'oxc-parser';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A string that a person reads: three words or more. Names, paths and patterns have fewer. */
const sentence = /^[^/<{[]*?\p{L}+[ ,;:]+\p{L}+[ ,;:]+\p{L}/u;

const notProse = /[^\n]/g;
/** Code in prose, a link's address and a documentation tag's type. They become a comma, which ends no sentence. */
const codeInProse = /`[^`]*`|\]\([^)]*\)|https?:\/\/\S+|@\w+(?: \{[^}]*\})?|\{@link [^}]*\}/g;

const blank = (text: string): string => text.replace(notProse, ' ');
const comma = (code: string): string => `,${blank(code.slice(1))}`;

/** Keeps the spans, in their places, so that every position in the result is one of the source. */
function keep(source: string, spans: readonly Span[]): string {
  let kept = '';
  let position = 0;
  for (const { start, end } of spans) {
    kept += blank(source.slice(position, start)) + source.slice(start, end);
    position = end;
  }
  return kept + blank(source.slice(position));
}

function typeScriptSpans(path: string, source: string): readonly Span[] {
  const { program, comments } = parseSync(path, source);
  const strings: Span[] = [];
  const add = (span: Span, text: unknown): void => {
    if (typeof text === 'string' && sentence.test(text)) {
      strings.push({ start: span.start + 1, end: span.end - 1 });
    }
  };
  new Visitor({
    Literal: (node) => add(node, node.value),
    TemplateLiteral: (node) => {
      const text = node.quasis.map(({ value }) => value.raw).join(' x ');
      if (!sentence.test(text)) return;
      // A quasi's span has the delimiters of the template on both sides.
      const spans = node.quasis.map(({ start, value }) => ({
        start: start + 1,
        end: start + 1 + value.raw.length,
      }));
      strings.push(...spans);
    },
  }).visit(program);
  return [...comments, ...strings].sort((a, b) => a.start - b.start);
}

/** In a comment, the markers are not prose either. */
const commentMarkers = /^[ \t]*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/[ \t]*$|(?<=^|\s)\/\*\*?|\/\//gm;

function proseOfTypeScript(path: string, source: string): string {
  return keep(source, typeScriptSpans(path, source))
    .replace(commentMarkers, blank)
    .replace(codeInProse, comma);
}

function proseOfMarkdown(source: string): string {
  const spans: Span[] = [];
  visit(unified().use(remarkParse).parse(source), 'text', ({ position }) => {
    const start = position?.start.offset;
    const end = position?.end.offset;
    if (start !== undefined && end !== undefined) spans.push({ start, end });
  });
  return keep(source, spans);
}

/**
 * The prose of a TypeScript or Markdown file: its comments, and its strings that read as sentences.
 * Everything else is blank, so that lines and columns are those of the file.
 */
export function extractProse(path: string, source: string): string {
  return path.endsWith('.md') ? proseOfMarkdown(source) : proseOfTypeScript(path, source);
}
