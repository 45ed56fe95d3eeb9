import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';

/*
 * Writes docs/openapi.json: the API's description for generators that do not read YAML, or not its
 * aliases. A test compares the two.
 */

const docs = resolve(import.meta.dirname, '../../docs');
const document: unknown = parse(readFileSync(`${docs}/openapi.yaml`, 'utf8'));
writeFileSync(`${docs}/openapi.json`, `${JSON.stringify(document, undefined, 2)}\n`);
