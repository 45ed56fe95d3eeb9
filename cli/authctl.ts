#!/usr/bin/env node
import { runAuthctl } from './run-authctl.ts';

process.exitCode = await runAuthctl(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
