/** One bar: a label, and the share of what it is compared with. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The value to stay below, drawn as a mark. */
  readonly bound?: number;
  readonly text: string;
}

/** For the longest bar and the text behind it. */
const barWidth = 430;
/** Of a character at 13 px in the widest of the usual fonts. */
const characterWidth = 7.2;
const barHeight = 18;
const rowHeight = 30;
const top = 44;

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A horizontal bar chart. Colours are told apart on light and dark pages alike. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const largest = Math.max(...bars.map(({ value, bound = 0 }) => Math.max(value, bound)));
  const longest = Math.max(...bars.map(({ label }) => label.length));
  const labelWidth = Math.ceil(longest * characterWidth) + 20;
  const width = labelWidth + barWidth;
  const scale = (barWidth - 90) / largest;
  const rows = bars.map(({ label, value, bound, text }, index) => {
    const y = top + index * rowHeight;
    const isOver = bound !== undefined && value > bound;
    const mark = labelWidth + (bound ?? 0) * scale;
    return [
      `<text x="${labelWidth - 10}" y="${y + 14}" text-anchor="end">${escape(label)}</text>`,
      `<rect x="${labelWidth}" y="${y}" width="${Math.max(1, value * scale).toFixed(1)}" height="${barHeight}" rx="2" fill="${isOver ? '#d1495b' : '#3d7ea6'}"/>`,
      ...(bound === undefined
        ? []
        : [
            `<line x1="${mark.toFixed(1)}" x2="${mark.toFixed(1)}" y1="${y - 4}" y2="${y + barHeight + 4}" stroke="#8a8a8a" stroke-width="2"/>`,
          ]),
      `<text x="${(labelWidth + Math.max(value, bound ?? 0) * scale + 8).toFixed(1)}" y="${y + 14}">${escape(text)}</text>`,
    ].join('\n');
  });
  const height = top + bars.length * rowHeight + 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="#777">`,
    `<title>${escape(title)}</title>`,
    `<text x="10" y="22" font-size="15" font-weight="600">${escape(title)}</text>`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}
