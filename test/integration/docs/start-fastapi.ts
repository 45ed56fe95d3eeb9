import { join } from 'node:path';
import { startBesideCheck } from '../../../lab/support/api-beside-check.ts';
import { root } from '../../../lab/support/markdown.ts';

/** The same for the API with FastAPI. PYTHON has its packages. */
export function startApi(environment: Readonly<Record<string, string>>) {
  const file = join(root, 'examples/python-api/fastapi_api.py');
  return startBesideCheck([process.env['PYTHON'] ?? 'python3', file], environment);
}
