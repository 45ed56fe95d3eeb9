import type { Href } from './visit.ts';

/** Addresses of pages, wherever the portal is mounted. What is undefined is left out. */
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
