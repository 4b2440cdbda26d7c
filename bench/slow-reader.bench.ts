import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { LoopRunner } from 'pawl';
import type { Agent } from '../src/iteration/agent.js';
import { instantAgent } from './instant-agent.js';
import { median, report, times } from './measure.js';

const ITERATIONS = 300;
const ROUNDS = 9;
const PAGES = 20;
/** In all more than the system keeps for a socket that nobody reads. */
const SAID = `${'x'.repeat(99)}\n`.repeat(160);

const bin = resolve('dist/bin/pawl.js');
if (!existsSync(bin)) spawnSync(process.execPath, ['scripts/build.mjs', '--cli-if-stale'], { stdio: 'inherit' });

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-reader-'));
mkdirSync(join(folder, 'run'), { mode: 0o700 });
const environment = {
  ...process.env,
  HOME: folder,
  XDG_STATE_HOME: join(folder, 'state'),
  XDG_RUNTIME_DIR: join(folder, 'run'),
};

interface Dashboard {
  readonly child: ChildProcess;
  readonly port: number;
  readonly token: string;
}

async function openDashboard(): Promise<Dashboard> {
  const child = spawn(process.execPath, [bin, 'ui', '--json'], { cwd: folder, env: environment, stdio: 'pipe' });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { url, port } = JSON.parse(line.toString('utf8')) as { readonly url: string; readonly port: number };
  return { child, port, token: new URL(url).searchParams.get('token') ?? '' };
}

/** A page of a run that is open and reads nothing beyond the first bytes, which say that it is served. */
async function openPage({ port, token }: Dashboard, runId: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = [`GET /api/runs/${runId}/events HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error('the page was not served');
  return socket;
}

/** Milliseconds of an iteration. The agent of the first waits until every page is open. */
async function loop(prepare: (runId: string) => Promise<unknown>): Promise<number> {
  let isPrepared = false;
  const talkingAgent: Agent = {
    ...instantAgent,
    async run(task, listener, signal) {
      if (!isPrepared) await prepare(runner.id);
      isPrepared = true;
      listener.onEvent({ kind: 'text', text: SAID });
      return instantAgent.run(task, listener, signal);
    },
  };
  const runner = new LoopRunner(
    { workingDir: folder, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: ITERATIONS },
    { environment, agent: talkingAgent },
  );
  const starts: number[] = [];
  runner.subscribe((event) => event.type === 'iteration-started' && starts.push(performance.now()));
  await runner.run();
  if (runner.stats().iterations !== ITERATIONS) throw new Error('the loop stopped early');
  return median(starts.slice(2).map((at, index) => at - (starts[index + 1] ?? Number.NaN)));
}

async function loopWithPages(): Promise<number> {
  const dashboard = await openDashboard();
  let pages: readonly Socket[] = [];
  const openPages = async (runId: string) => {
    pages = await Promise.all(Array.from({ length: PAGES }, () => openPage(dashboard, runId)));
  };
  try {
    return await loop(openPages);
  } finally {
    for (const page of pages) page.destroy();
    dashboard.child.kill('SIGKILL');
    await once(dashboard.child, 'exit');
  }
}

try {
  const [alone, beside, ratios]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const aloneMs = await loop(() => Promise.resolve());
    const besideMs = await loopWithPages();
    // The first is the warm-up.
    if (round === 0) continue;
    alone.push(aloneMs);
    beside.push(besideMs);
    ratios.push(besideMs / aloneMs);
  }
  const ratio = median(ratios);
  report(`A loop beside ${PAGES} pages that never read, by an agent that takes no time and says 16 KB`, [
    { what: 'an iteration alone', figure: `${median(alone).toFixed(2)} ms` },
    { what: 'an iteration beside them', figure: `${median(beside).toFixed(2)} ms` },
    { what: 'beside them against alone', figure: times(ratio), bound: '<= 1.2 x', holds: ratio <= 1.2 },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
