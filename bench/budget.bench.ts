import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopRunner } from 'pawl';
import { median, report } from './measure.js';

const ROUNDS = 15;
/** Reports a cent every 5 ms, for a minute; the third agent is deaf to SIGTERM. */
const USAGE = `echo '{"pawl":"usage","input_tokens":1,"output_tokens":1,"cost_usd":0.01}'`;
const AGENTS: Readonly<Record<string, string>> = {
  'an agent that obeys SIGTERM': `for i in $(seq 12000); do ${USAGE}; sleep 0.005; done`,
  'one with a deaf child in a session of its own': `setsid bash -c 'trap "" TERM; sleep 60' & for i in $(seq 12000); do ${USAGE}; sleep 0.005; done`,
};

const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-budget-'));
const environment = { ...process.env, XDG_STATE_HOME: join(folder, 'state') };

interface Crossing {
  readonly deathMs: number;
  /** Reports that were recorded after the one that crossed. */
  readonly late: number;
}

async function cross(script: string): Promise<Crossing> {
  const runner = new LoopRunner(
    {
      workingDir: folder,
      prompt: 'go',
      agent: { command: ['bash', '-c', script] },
      trackFileChanges: false,
      stop: { limits: [{ max_cost: 0.2 }] },
    },
    { environment },
  );
  let crossedAt: number | undefined;
  let endedAt = Number.NaN;
  let late = 0;
  runner.subscribe((event, state) => {
    if (event.type === 'usage-reported' && crossedAt !== undefined) late++;
    const spent = Object.values(state.spend.models)[0]?.open.length ?? 0;
    if (event.type === 'usage-reported' && spent >= 20) crossedAt ??= performance.now();
    if (event.type === 'iteration-status' && event.status === 'observing') endedAt = performance.now();
  });
  const { class: stopClass } = await runner.run();
  if (stopClass !== 'limit' || crossedAt === undefined) throw new Error('the budget did not hold');
  return { deathMs: endedAt - crossedAt, late };
}

const rows = [];
for (const [what, script] of Object.entries(AGENTS)) {
  const crossings: Crossing[] = [];
  for (let round = 0; round < ROUNDS; round++) crossings.push(await cross(script));
  const late = Math.max(...crossings.map((crossing) => crossing.late));
  rows.push(
    { what: `${what}: reports after the crossing one`, figure: String(late), bound: '<= 1', holds: late <= 1 },
    {
      what: `${what}: until it and all it started are gone`,
      figure: `${median(crossings.map(({ deathMs }) => deathMs)).toFixed(0)} ms`,
    },
  );
}
rmSync(folder, { recursive: true, force: true });
report('From crossing a budget to the death of the agent', rows);
