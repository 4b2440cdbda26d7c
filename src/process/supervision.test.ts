import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { nameOfChild, takeCensus } from './process-table.js';
import { type SuperviseRequest, Supervision } from './supervise.js';

const cookie = `supervision${process.pid}.1.1`;

/**
 * A shell script under supervision, with its process at hand. `--norc`: bash takes Node's pipe for a network
 * connection, and where SHLVL is not set it reads the user's own start file and says what it thinks of it.
 */
function start(script: string, more: Partial<SuperviseRequest>) {
  const census = takeCensus();
  const env = { PATH: process.env['PATH'], PAWL_COOKIE: cookie };
  const child: ChildProcessWithoutNullStreams = spawn('bash', ['--norc', '-c', script], { env, detached: true });
  const request = (started: Partial<SuperviseRequest>): SuperviseRequest => ({
    command: 'bash',
    args: [],
    cwd: tmpdir(),
    env,
    cookie,
    signals: ['SIGTERM'],
    graceMs: 20_000,
    timeoutMs: 20_000,
    onLine: () => undefined,
    ...started,
  });
  return {
    child,
    watch: () =>
      new Supervision({ child, name: nameOfChild(child.pid ?? 0), census, unguard: () => undefined }, request(more)),
  };
}

describe('a process that is cut off', () => {
  it.each(['while it works', 'in its grace'])('%s is killed at once', async (when) => {
    const [stop, cutOff] = [new AbortController(), new AbortController()];
    const cut = { ready: 'while it works', heard: 'in its grace' } as Readonly<Record<string, string>>;
    const script = 'trap "echo heard" TERM; echo ready; while :; do sleep 0.02; done';
    const { watch } = start(script, {
      signal: stop.signal,
      cutOff: cutOff.signal,
      onLine: ({ text }) => (cut[text] === when ? cutOff.abort() : stop.abort()),
    });
    expect(await watch().ended).toMatchObject({ cause: 'aborted', signal: 'SIGKILL', wasCutOff: true, survivors: [] });
  });

  it('in the moment of its end has ended by itself', async () => {
    const cutOff = new AbortController();
    const { child, watch } = start('exit 3', { cutOff: cutOff.signal });
    child.once('exit', () => cutOff.abort());
    const ending = await watch().ended;
    expect(ending).toMatchObject({ exitCode: 3 });
    expect(ending.wasCutOff).toBeUndefined();
  });
});
