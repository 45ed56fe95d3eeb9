import { resolve } from 'node:path';
import { LocalRunError } from '../emulator/loopback-server.ts';
import type { Edition } from './edition.ts';

/** `npm start` in a clone. */
export const clone = {
  name: 'npm start',
  withFlags: 'npm start --',
  directory: resolve(import.meta.dirname, '../..'),
  extras: {
    // The OpenID provider is one of the packages that a clone installs on request.
    loadLoginPortal: async () => {
      try {
        return (await import('./portal-login/start.ts')).startLoginPortal;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
        throw new LocalRunError('--portal-login needs the package oidc-provider: npm run setup', {
          cause: error,
        });
      }
    },
  },
} as const satisfies Edition;
