#!/usr/bin/env node
// Not the bundle itself: npm links commands before the bundle is built.
import { isNodeSupported } from '../dist/node-check.js';

if (isNodeSupported('create')) await import('../dist/create.js');
