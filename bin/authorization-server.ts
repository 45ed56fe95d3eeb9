#!/usr/bin/env node
import { resolve } from 'node:path';
import { synthesiseApp } from '../lib/synthesise-app.ts';
import { checkAgainstRulePacks } from './rule-packs.ts';

synthesiseApp({
  bundles: resolve(import.meta.dirname, '../dist/lambda'),
  extend: (_, app) => checkAgainstRulePacks(app),
});
