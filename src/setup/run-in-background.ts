import { type DetachedProcess, startDetached } from '../process/start-detached.js';

/** Starts this program once more, with other words, so that it goes on without a terminal. */
export async function runInBackground(words: readonly string[], output: number): Promise<DetachedProcess> {
  const [, program = ''] = process.argv;
  return startDetached({
    file: process.execPath,
    args: [...process.execArgv, program, ...words],
    cwd: process.cwd(),
    env: process.env,
    output,
  });
}
