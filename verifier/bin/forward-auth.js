#!/usr/bin/env node
// Not the bundle itself: npm links commands before the bundle is built.
import '../dist/forward-auth.js';
