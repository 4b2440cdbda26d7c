import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** During an action, `before` sees each path that a function of Node's `fs` is called with, in any module, and may throw. */
export function seeingPaths<T>(name: 'openSync' | 'readFileSync', before: (path: string) => void, action: () => T): T {
  const real = fs[name];
  const seen = (path: fs.PathLike, ...rest: never[]) => {
    before(String(path));
    return (real as (...args: unknown[]) => unknown)(path, ...rest);
  };
  Object.assign(fs, { [name]: seen });
  syncBuiltinESMExports();
  try {
    return action();
  } finally {
    Object.assign(fs, { [name]: real });
    syncBuiltinESMExports();
  }
}
