// What every container of forward-auth shares: the Dockerfile, ECS and Kubernetes. Tests compare
// the Dockerfile and the Kubernetes example with it.

/** Only on the loopback interface of the pod or task. */
export const forwardAuthPort = 9100;

/** Any user but root: the process writes nothing. */
export const forwardAuthUser = '1000:1000';

/** The image has no shell tools, so Node asks. Exits with 0 if the check is ready. */
export const readyProbe = [
  'node',
  '-e',
  `fetch('http://127.0.0.1:${forwardAuthPort}/ready').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`,
] as const;
