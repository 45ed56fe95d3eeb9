import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../aws-json/endpoint.ts';

/** The files that AWS's own tools keep profiles in. */
function configFiles(environment: Environment): readonly string[] {
  const folder = join(environment['HOME'] || homedir(), '.aws');
  return [
    environment['AWS_CONFIG_FILE'] || join(folder, 'config'),
    environment['AWS_SHARED_CREDENTIALS_FILE'] || join(folder, 'credentials'),
  ];
}

export function hasSharedConfig(environment: Environment): boolean {
  return configFiles(environment).some((file) => existsSync(file));
}

/** The `region` of a profile in the config file: `[default]` or `[profile NAME]`. */
export function profileRegion(environment: Environment): string | undefined {
  const [file = ''] = configFiles(environment);
  if (!existsSync(file)) return undefined;
  const profile = environment['AWS_PROFILE'] || 'default';
  const wanted = new Set([profile, `profile ${profile}`]);
  let section = '';
  for (const line of readFileSync(file, 'utf8').split(/\r?\n/)) {
    section = /^\[([^\]]+)\]/.exec(line)?.[1]?.trim() ?? section;
    const region = /^region\s*=\s*([a-z0-9-]+)\s*$/.exec(line)?.[1];
    if (region !== undefined && wanted.has(section)) return region;
  }
  return undefined;
}
