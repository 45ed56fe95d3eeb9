import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LocalRun } from '../../local/start-local.ts';
import { pictures } from './pages.ts';
import type { SampleData } from './sample-data.ts';

export const imageFolder = resolve(import.meta.dirname, '../../../docs/images');

/** What each picture shows, next to the pictures. */
export const outlineFile = 'outlines.json';

/** Headings, menu entries and buttons of a page, in order. */
type Outline = readonly string[];

const shown = /<(h[1-3]|summary|button)\b[^>]*>(.*?)<\/\1>|<nav\b[^>]*>(.*?)<\/nav>/gs;

function textOf(html: string): string {
  return html
    .replaceAll(/<svg.*?<\/svg>|<[^>]+>/gs, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export function outlineOf(html: string): Outline {
  return [...html.matchAll(shown)].flatMap(([, element, text = '', menu]) => {
    if (element !== undefined) return [`${element} ${textOf(text)}`];
    const entries = [...(menu ?? '').matchAll(/<a\b[^>]*>(.*?)<\/a>/gs)];
    return entries.map(([, entry = '']) => `a ${textOf(entry)}`);
  });
}

/** @returns the outline of the page of each picture, as the portal of this tree serves it. */
export async function readOutlines(
  { portalUrl = '' }: LocalRun,
  data: SampleData,
): Promise<Readonly<Record<string, Outline>>> {
  const entered = await fetch(portalUrl, { redirect: 'manual' });
  const [cookie = ''] = entered.headers.get('set-cookie')?.split(';') ?? [];
  const origin = portalUrl.replace(/\/enter\/.*/, '');
  const outlines: Record<string, Outline> = {};
  for (const { name, path } of pictures) {
    const page = await fetch(origin + path(data), { headers: { cookie } });
    outlines[name] = outlineOf(await page.text());
  }
  return outlines;
}

/** @returns what the pages had when the pictures were taken. */
export function picturedOutlines(): Readonly<Record<string, Outline>> {
  const text = readFileSync(join(imageFolder, outlineFile), 'utf8');
  return JSON.parse(text) as Readonly<Record<string, Outline>>;
}
