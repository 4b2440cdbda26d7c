import { type DetachedProcess, type DetachedRequest, startDetached } from '../process/start-detached.js';

/** Starts this program again, with other words, so that it continues without a terminal. */
export async function runInBackground(
  words: readonly string[],
  output: number,
  { cwd, environment: env }: Pick<DetachedRequest, 'cwd'> & { readonly environment: DetachedRequest['env'] },
): Promise<DetachedProcess> {
  const [, program = ''] = process.argv;
  return startDetached({
    file: process.execPath,
    args: [...process.execArgv, program, ...words],
    cwd,
    env,
    output,
  });
}
