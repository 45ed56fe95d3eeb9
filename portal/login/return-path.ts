/** Longer addresses would make a cookie that browsers do not keep. */
const maxLength = 1000;

/**
 * A path to return to after the login: within the portal, with any text. Of the login's own pages,
 * only the one that says that the login is done. Everything else is the first page.
 */
export function readReturnPath(text: string | undefined, origin: string, basePath: string): string {
  const home = `${basePath}/`;
  if (text === undefined || text.length > maxLength || !URL.canParse(text, origin)) return home;
  const url = new URL(text, origin);
  const path = `${url.pathname}${url.search}`;
  // A path that begins with two slashes is the address of another host.
  if (url.origin !== origin || !path.startsWith(home) || path.startsWith('//')) return home;
  const isLogin = path.startsWith(`${basePath}/login`) && path !== `${basePath}/login/done`;
  return isLogin ? home : path;
}
