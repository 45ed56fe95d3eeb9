import * as v from 'valibot';
import { stopKinds } from '../../../contract/stop-kinds.ts';
import { epochSeconds, text, urlText } from './item.ts';

const stop = v.strictObject({ at: epochSeconds, by: urlText, event: v.optional(text) });

/** What stops a record, by kind. One that works has none. */
export const stops = v.optional(
  v.pipe(
    v.strictObject(v.entriesFromList(stopKinds, v.optional(stop))),
    v.check((item) => Object.keys(item).length > 0, 'one stop or more'),
  ),
);
