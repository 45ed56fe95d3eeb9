import type { Fields } from './fields.ts';

/** The part of a filter that clients and API keys share. */
export function readListFilter(query: Fields) {
  const enabled = query.optional('enabled');
  return {
    text: query.text('text').trim() || undefined,
    trunkGroup: query.text('trunkGroup').trim() || undefined,
    enabled: enabled === undefined ? undefined : enabled === 'yes',
  };
}
