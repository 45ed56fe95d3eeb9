import type { Href } from './request-context.ts';

/** Addresses of pages, with the path of the mount point. Undefined parameters are omitted. */
export function createHref(basePath: string): Href {
  return (path, query = {}) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const text = parameters.toString();
    return `${basePath}${path}${text === '' ? '' : `?${text}`}`;
  };
}
