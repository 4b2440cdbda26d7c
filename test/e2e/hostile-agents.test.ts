import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { listRuns } from '../../src/journal/list-runs.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { AttackedRun } from '../support/attacked-run.js';

const runs: AttackedRun[] = [];
afterAll(() => {
  for (const run of runs) run.remove();
});

function attacked(): AttackedRun {
  const run = new AttackedRun();
  runs.push(run);
  return run;
}

const MEGABYTE = 1_000_000;

/** One after the other: how soon an agent is dead depends on how busy the runner is. */
describe('crossed in mid-iteration', () => {
  it('[p10] a cost limit ends the agent within one report', async () => {
    const run = attacked();
    const result = await run.run(['spends'], { stop: { limits: [{ max_cost: 0.1 }] } });
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(result.reasons[0]?.condition?.type).toBe('max_cost');
    expect(run.ended()).toMatchObject([
      { outcome: 'interrupted', interruption: 'limit', ending: { cause: 'aborted' } },
    ]);
    expect(totalSpend(run.runner.runState.spend).costUsd).toBeLessThanOrEqual(0.13);
    expect(run.notedPids()).toHaveLength(1);
  });

  it.each([
    [{ max_tokens: 350 }, 400],
    [{ max_input_tokens: 200 }, 400],
    [{ max_output_tokens: 100 }, 300],
  ])('%j ends the agent within one report', async (limit, most) => {
    const run = attacked();
    const result = await run.run(['spends'], { stop: { limits: [limit] } });
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(run.ended()).toMatchObject([{ outcome: 'interrupted', interruption: 'limit' }]);
    expect(totalSpend(run.runner.runState.spend).totalTokens).toBeLessThanOrEqual(most + 100);
  });

  it('a limit on time ends the agent', async () => {
    const run = attacked();
    const result = await run.run(['hangs'], { stop: { limits: [{ max_duration: '1s' }] } });
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(run.ended()).toMatchObject([
      { outcome: 'interrupted', interruption: 'limit', ending: { cause: 'aborted' } },
    ]);
    expect(run.of('tick').length).toBeGreaterThanOrEqual(1);
  });

  it('a deadline ends the agent', async () => {
    const run = attacked();
    const at = new Date(Date.now() + 1500).toISOString();
    const result = await run.run(['hangs'], { stop: { limits: [{ deadline: at }] } });
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(run.ended()).toMatchObject([{ outcome: 'interrupted', interruption: 'limit' }]);
  });

  it.each([
    [{ repeated_error: 4 }, 4],
    [{ on_error: 'reach host' }, 1],
  ])('%j ends the agent', async (failure, least) => {
    const run = attacked();
    const result = await run.run(['fails-on'], { stop: { failure: [failure] } });
    expect(result).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(run.ended()).toMatchObject([{ outcome: 'interrupted', interruption: 'failure' }]);
    expect(run.of('error-seen').length).toBeGreaterThanOrEqual(least);
    expect(run.of('error-seen').length).toBeLessThanOrEqual(least + 2);
  });

  it('[p16] three refused permissions in a row end the agent and block the run', async () => {
    const run = attacked();
    const result = await run.run(['is-denied'], { stop: { limits: [{ permission_denied: 3 }] } });
    expect(result.reasons[0]).toMatchObject({ condition: { type: 'permission_denied' } });
    expect(run.of('permission-denied').length).toBeLessThanOrEqual(5);
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
  });
});

describe.concurrent('an agent that never ends', () => {
  it('[p7] without a sign of life is ended when its patience is over', async () => {
    const run = attacked();
    const result = await run.run(['hangs'], { idleTimeout: '1s' });
    expect(run.ended()).toMatchObject([{ outcome: 'timed-out', ending: { cause: 'idle' }, agentStarted: true }]);
    expect(run.ended()[0]?.error).toContain('printed nothing for 1s');
    expect(result.exitCode).toBe(3);
    expect(run.notedPids()).toHaveLength(2);
    await run.expectWholeRecord();
  });

  it('but talks is ended when its time is over', async () => {
    const run = attacked();
    await run.run(['chatters'], { idleTimeout: '4s', iterationTimeout: '6s' });
    expect(run.ended()).toMatchObject([{ outcome: 'timed-out', ending: { cause: 'timeout' } }]);
    expect(run.ended()[0]?.error).toContain('did not end within 6s');
    expect(run.said()).toContain('still here');
  });

  it('inside a tool is not idle, however long the tool takes', async () => {
    const run = attacked();
    // Long enough for a busy machine to start the agent.
    await run.run(['hangs-in-tool'], { idleTimeout: '3s', iterationTimeout: '6s' });
    expect(run.ended()).toMatchObject([{ outcome: 'timed-out', ending: { cause: 'timeout' } }]);
  });

  it('and is deaf is killed', async () => {
    const run = attacked();
    await run.run(['deaf'], { idleTimeout: '500ms' });
    expect(run.ended()).toMatchObject([{ ending: { cause: 'idle' }, observation: { signal: 'SIGKILL' } }]);
    expect(run.notedPids()).toHaveLength(1);
  });

  it('because it stopped itself is killed', async () => {
    const run = attacked();
    await run.run(['stops-itself'], { iterationTimeout: '1s' });
    expect(run.ended()).toMatchObject([{ outcome: 'timed-out', ending: { cause: 'timeout' } }]);
    expect(run.notedPids()).toHaveLength(1);
  });

  it('[p8] after its result is ended, and the result counts', async () => {
    const run = attacked();
    await run.run(['lingers']);
    expect(run.ended()).toMatchObject([{ outcome: 'completed', ending: { cause: 'lingering' } }]);
    expect(run.ended()[0]?.observation.summary).toBe('it is done');
  });

  it.each(['leaves-session', 'leaves-daemon'])(
    '[p13] by a process that it leaves behind (%s) is over all the same, and the process is gone',
    async (agent) => {
      const run = attacked();
      await run.run([agent]);
      expect(run.ended()).toMatchObject([
        { outcome: 'completed', ending: { cause: 'exit' }, observation: { exitCode: 0 } },
      ]);
      expect(run.ended()[0]?.ending?.stragglers).toBeGreaterThanOrEqual(1);
      expect(run.notedPids()).toHaveLength(1);
      expect(run.said()).toBe('all done');
    },
  );
});

/** Each leaves a new file behind, so that there is progress. */
const DESTRUCTION: Readonly<Record<string, string>> = {
  'cleans the tree': 'git clean -fdxq',
  'removes .ralph': 'rm -rf .ralph',
  'moves .ralph away': 'rm -rf ../stolen; mv .ralph ../stolen',
  'puts a symlink in place of .ralph': 'rm -rf .ralph; mkdir -p ../victim; ln -s ../victim .ralph',
  'puts a file in place of .ralph': 'rm -rf .ralph; echo mine > .ralph',
  'locks .ralph': 'chmod 000 .ralph',
  'removes the iterations of the run': 'rm -rf .ralph/runs/*/iterations',
  'stashes everything': 'git stash -uq',
  'opens a branch': 'git checkout -qb "branch-$RANDOM$RANDOM"',
  'commits everything': 'git add -A && git commit -qm all',
  'removes everything that is below the folder': 'rm -rf ./* ./.[!.]*; git init -q .',
};

describe.concurrent('an agent that destroys', () => {
  it.each(Object.entries(DESTRUCTION))('[p25] and %s costs nothing of the record', async (_, script) => {
    const run = attacked();
    run.initRepository();
    const result = await run.run(
      ['runs', `echo x > "file-$RANDOM$RANDOM$RANDOM"; ${script}; echo x > "file-$RANDOM$RANDOM$RANDOM"`],
      {
        maxIterations: 3,
        trackFileChanges: true,
      },
    );
    expect(result).toMatchObject({ status: 'stopped', exitCode: 3 });
    expect(result.error).toBeUndefined();
    expect(run.ended().map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    await run.expectWholeRecord();
    expect(listRuns(run.workingDir, run.environment).map(({ runId }) => runId)).toContain(run.runner.id);
    expect(existsSync(join(run.folder, 'victim')) ? readdirSync(join(run.folder, 'victim')) : []).toEqual([]);
  });

  it('its working directory ends the run with an error that names it, and the record is kept elsewhere', async () => {
    const run = attacked();
    const result = await run.run(['runs', 'rm -rf "$PWD"'], { maxIterations: 9, trackFileChanges: true });
    expect(result).toMatchObject({ status: 'error', exitCode: 1, error: expect.stringContaining(run.workingDir) });
    expect(run.ended().map(({ agentStarted }) => agentStarted)).toEqual([true]);
    expect(existsSync(run.workingDir)).toBe(false);
    const kept = readdirSync(join(run.folder, 'state'), { recursive: true, encoding: 'utf8' });
    const journal = kept.find((path) => path.endsWith(`${run.runner.id}/journal.jsonl`));
    expect(run.warnings.filter((warning) => warning.includes('ENOENT'))).toEqual([]);
    expect(run.warnings).toContainEqual(expect.stringMatching(/^the working directory .*gone.* record .*kept in /));
    expect(run.ended()[0]?.observation.unobserved).toEqual([
      expect.stringMatching(new RegExp(`^changed files: .*${run.workingDir} is gone`)),
    ]);
    expect(await verifyJournal(join(run.folder, 'state', journal ?? ''))).toMatchObject({
      events: run.events.at(-1)?.seq,
    });
  });

  it('nothing works on when somebody else removes its working directory, and the run ends with an error after it', async () => {
    const run = attacked();
    const gone = join(run.folder, 'gone');
    const script = `echo here; until [ -e '${gone}' ]; do sleep 0.05; done; echo bye`;
    run.prepare(['runs', script], { maxIterations: 9, trackFileChanges: true });
    run.runner.subscribe((event) => {
      if (event.type !== 'agent-said' || event.text !== 'here') return;
      rmSync(run.workingDir, { recursive: true });
      writeFileSync(gone, '');
    });
    const result = await run.finish();
    expect(result).toMatchObject({ status: 'error', exitCode: 1, error: expect.stringContaining(run.workingDir) });
    expect(run.said()).toBe('here\nbye');
    expect(run.ended()).toMatchObject([{ outcome: 'completed', ending: { cause: 'exit' } }]);
  });

  it('its working directory with the repository ends the run with an error, and the record is kept all the same', async () => {
    const run = attacked();
    run.initRepository();
    const result = await run.run(['runs', 'rm -rf "$PWD"'], { maxIterations: 9, trackFileChanges: true });
    const error = `the working directory ${run.workingDir} is gone: it was removed during the run`;
    expect(result).toMatchObject({ status: 'error', exitCode: 1, error: expect.stringContaining(error) });
    expect(existsSync(run.workingDir)).toBe(false);
    const journal = join(run.folder, 'state', 'pawl', 'runs', run.runner.id, 'journal.jsonl');
    expect(await verifyJournal(journal)).toMatchObject({ events: run.events.at(-1)?.seq });
  });

  it.each([
    ['removes it', 'rm PROMPT.md'],
    ['empties it', ': > PROMPT.md'],
    ['makes it a folder', 'rm PROMPT.md; mkdir PROMPT.md'],
    ['makes it a pipe', 'rm PROMPT.md; mkfifo PROMPT.md'],
    ['makes it endless', 'ln -sf /dev/zero PROMPT.md'],
    ['makes it huge', 'truncate -s 10G PROMPT.md'],
    ['makes it a link to itself', 'rm PROMPT.md; ln -s PROMPT.md PROMPT.md'],
  ])('its prompt and %s ends the run with an error', async (_, script) => {
    const run = attacked();
    const promptPath = join(run.workingDir, 'PROMPT.md');
    writeFileSync(promptPath, 'go');
    run.prepare(['runs', script], { maxIterations: 3, promptPath });
    const result = await run.finish();
    expect(result).toMatchObject({ status: 'error', exitCode: 1 });
    expect(result.error).toContain('PROMPT.md');
    expect(run.ended()).toHaveLength(1);
    await run.expectWholeRecord();
  });

  it('its working directory, and puts another in its place, goes on', async () => {
    const run = attacked();
    run.initRepository();
    const script = 'cd ..; rm -rf work; mkdir work; cd work; git init -q .; echo "$RANDOM$RANDOM" > file';
    const result = await run.run(['runs', script], { maxIterations: 3, trackFileChanges: true });
    expect(result).toMatchObject({ exitCode: 3 });
    await run.expectWholeRecord();
  });
});

describe.concurrent('the repository of the user', () => {
  it.each([false, true])('is not written by a run of three iterations (index locked: %s)', async (locked) => {
    const run = attacked();
    run.initRepository();
    writeFileSync(join(run.workingDir, 'stashed'), 'stash me');
    run.git('add', '-A');
    run.git('stash', '-q');
    writeFileSync(join(run.workingDir, 'staged'), 'staged');
    run.git('add', 'staged');
    writeFileSync(join(run.workingDir, 'kept'), 'changed, not staged');
    if (locked) writeFileSync(join(run.workingDir, '.git', 'index.lock'), '');
    const before = contentOf(join(run.workingDir, '.git'));
    const config = { maxIterations: 3, trackFileChanges: true };
    await run.run(['runs', 'echo "$RANDOM" >> kept; echo "$RANDOM" > "new-$RANDOM$RANDOM"; rm -f staged'], config);
    expect(run.ended().map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed']);
    expect(run.ended().map(({ observation }) => observation.files?.changedFiles)).toEqual([3, 2, 2]);
    expect(contentOf(join(run.workingDir, '.git'))).toEqual(before);
  });
});

describe.concurrent('an agent that', () => {
  it('closes its output and lives on is waited for', async () => {
    const run = attacked();
    await run.run(['closes-stdout']);
    expect(run.ended()).toMatchObject([{ outcome: 'failed', ending: { cause: 'exit' }, observation: { exitCode: 3 } }]);
    expect(run.ended()[0]?.error).toBe('its exit code is 3');
  });

  it('does not read its prompt of 10 MB is not at fault', async () => {
    const run = attacked();
    await run.run(['closes-stdin'], { prompt: 'p'.repeat(10 * MEGABYTE) });
    expect(run.ended()).toMatchObject([{ outcome: 'completed', observation: { summary: 'I need no prompt' } }]);
  });

  it('[p18] reads its prompt of 10 MB late gets every byte of it, quotes and all', async () => {
    const run = attacked();
    const prompt = Array.from(
      { length: 200_000 },
      (_, index) => `${index} — ünïcödé \u0000 \u2028 $(id) {{name}}`,
    ).join('\n');
    expect(Buffer.byteLength(prompt)).toBeGreaterThan(8 * MEGABYTE);
    await run.run(['hashes-prompt'], { prompt: `${prompt}\n{{left}}`, statusLine: false });
    expect(run.said()).toBe(createHash('sha256').update(`${prompt}\nIteration 1 of 1.`).digest('hex'));
  });

  it('exits with 0 but reports an error has failed', async () => {
    const run = attacked();
    await run.run(['prints', '{"pawl":"result","outcome":"error","text":"the model said no\\nand more"}']);
    expect(run.ended()).toMatchObject([
      { outcome: 'failed', error: 'the model said no', observation: { exitCode: 0 } },
    ]);
  });

  it('talks on after its result has its late usage counted', async () => {
    const run = attacked();
    await run.run(['talks-after-result']);
    expect(run.ended()).toMatchObject([{ outcome: 'completed', observation: { summary: 'it is done' } }]);
    expect(run.said()).toBe('one more thing\nplain words');
    expect(totalSpend(run.runner.runState.spend).costUsd).toBe(0.5);
  });

  it('kills its own process group has failed', async () => {
    const run = attacked();
    await run.run(['kills-group']);
    expect(run.ended()).toMatchObject([{ outcome: 'failed', error: 'it was ended by SIGKILL' }]);
  });
});

describe.concurrent('a program that cannot be run', () => {
  const failing: LoopConfig = { maxIterations: 10, stop: { failure: [{ consecutive_failures: 3 }] } };

  it('because it is not executable is refused before the run', () => {
    const run = attacked();
    const path = join(run.folder, 'agent');
    writeFileSync(path, '#!/usr/bin/env bash\n', { mode: 0o644 });
    expect(() => run.prepare([path])).toThrow('is not a program');
  });

  it.each([
    ['deleted', 'rm "$0"'],
    ['made not executable', 'chmod 644 "$0"'],
    ['made a folder', 'rm "$0"; mkdir "$0"'],
    [
      'given an interpreter that is not there',
      'printf "#!/no/such\\n" > "$0.new"; chmod +x "$0.new"; mv "$0.new" "$0"',
    ],
  ])('because it was %s between two iterations fails each iteration, and these end the run', async (_, how) => {
    const run = attacked();
    const path = join(run.folder, 'agent');
    writeFileSync(path, `#!/usr/bin/env bash\n${how}\n`, { mode: 0o755 });
    const result = await run.run([path], failing);
    expect(result).toMatchObject({ status: 'stopped', class: 'failure', exitCode: 4 });
    expect(run.ended().map(({ outcome, agentStarted }) => ({ outcome, agentStarted }))).toEqual([
      { outcome: 'completed', agentStarted: true },
      ...Array.from({ length: 3 }, () => ({ outcome: 'failed', agentStarted: false })),
    ]);
    expect(run.ended()[1]?.error).toContain('is not a program');
  });

  it.each(['#!/no/such/interpreter', '#!/tmp', '#! /no/such -x'])('because of %s is refused before the run', (line) => {
    const run = attacked();
    const path = join(run.folder, 'agent');
    writeFileSync(path, `${line}\n`, { mode: 0o755 });
    expect(() => run.prepare([path])).toThrow('is not a program');
  });

  it('because its bytes are of no format has failed, three times', async () => {
    const run = attacked();
    const path = join(run.folder, 'agent');
    writeFileSync(path, Buffer.from([0x7f, 0x45, 0x4c, 0x46, 1, 2, 3]), { mode: 0o755 });
    expect(await run.run([path], failing)).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(run.ended().map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
  });
});

describe.concurrent('completion', () => {
  const goal: LoopConfig = { stop: { success: [{ output_pattern: 'DONE' }] } };

  it.each([
    [
      'in the result of a tool',
      ['prints', '{"pawl":"tool-call","id":"1","name":"cat"}', '{"pawl":"tool-result","id":"1","output":"DONE"}'],
    ],
    ['in the input of a tool', ['prints', '{"pawl":"tool-call","id":"1","name":"DONE","input":"DONE"}']],
    ['in an error', ['prints', '{"pawl":"error","kind":"other","message":"DONE"}']],
    ['on the standard error', ['says-by-stderr']],
    ['in another case', ['prints', 'done', 'Done', 'dONE']],
    ['torn by a newline', ['prints', 'DO', 'NE']],
  ])('[p4] %s is none', async (_, command) => {
    const run = attacked();
    expect(await run.run(command, goal)).toMatchObject({ class: 'limit', exitCode: 3 });
  });

  it.each([
    ['of one line', 'Say DONE when it is done.'],
    ['of many lines', 'Work.\n\n  - one\n  - two\n\nSay DONE\nwhen it is done.\n'],
    ['that begins with the same line three times', '---\n---\n---\nSay DONE\n---\n'],
    ['whose beginning comes again in it', 'a\nb\na\nb\na\nc\nDONE\n'],
  ])('[p4] in an echo of a prompt %s is none', async (_, prompt) => {
    const run = attacked();
    const banner = prompt.split('\n')[0] ?? '';
    const config = { ...goal, prompt };
    expect(await run.run(['echoes-prompt', `${banner}\n${banner}`], config)).toMatchObject({ class: 'limit' });
    expect(run.said()).toContain('now I work');
  });

  it.each([
    ['after a part of an echo', '---\n---\nSay it\n', "printf -- '---\\n---\\n---\\nDONE\\n'"],
    ['after an echo', 'Say DONE', "printf 'Say DONE\\nDONE\\n'"],
    ['as the last word of an echo that was broken off', 'one\ntwo\nthree', "printf 'one\\ntwo DONE\\n'"],
  ])('%s is one', async (_, prompt, script) => {
    const run = attacked();
    expect(await run.run(['runs', script], { ...goal, prompt })).toMatchObject({ class: 'goal', exitCode: 0 });
  });

  it('that is split over two writes is one', async () => {
    const run = attacked();
    expect(await run.run(['splits-marker'], goal)).toMatchObject({ class: 'goal', exitCode: 0 });
  });

  it('that is split over two pieces of a message is one', async () => {
    const run = attacked();
    const script = 'yes x | head -n 8190; echo "it is DO-"; echo "-NE"; echo';
    const config: LoopConfig = {
      stop: { success: [{ type: 'output_pattern', pattern: 'DO-\\n-NE', is_regex: true }] },
    };
    expect(await run.run(['runs', script], config)).toMatchObject({ class: 'goal' });
  });
});

describe.concurrent('a message of the protocol', () => {
  it.each([
    ['newlines', 'one\\ntwo', 'one\ntwo'],
    ['quotes and dollars', `'; $(exit 9) \\"`, `'; $(exit 9) "`],
  ])('with a session id of %s hands it to the next iteration as it is', async (_, id, expected) => {
    const run = attacked();
    const script = `echo '{"pawl":"session","id":"${id.replaceAll("'", "'\\''")}"}'; printf '%s' "$PAWL_SESSION" > session`;
    const result = await run.run(['runs', script], { maxIterations: 2 });
    expect(result.exitCode).toBe(3);
    expect(run.ended().map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(readFileSync(join(run.workingDir, 'session'), 'utf8')).toBe(expected);
  });

  it.each([
    ['a NUL', `echo '{"pawl":"session","id":"a\\u0000b"}'`],
    ['a megabyte', `printf '{"pawl":"session","id":"'; head -c 1000000 /dev/zero | tr '\\0' i; echo '"}'`],
  ])('with a session id that holds %s does not make the next iteration fail', async (_, script) => {
    const run = attacked();
    await run.run(['runs', script], { maxIterations: 2 });
    expect(run.ended().map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
  });

  it.each([
    ['in a year', new Date(Date.now() + 365 * 86_400_000).toISOString()],
    ['at the last moment that there is', '+275760-09-13T00:00:00.000Z'],
  ])('with a limit that ends %s blocks the run', async (_, at) => {
    const run = attacked();
    const result = await run.run(['prints', `{"pawl":"limit","limit":"usage-limit","resets_at":"${at}"}`], {
      maxIterations: 5,
    });
    expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
    expect(result.reasons[0]?.message).toContain('later than max_wait (6h) allows');
    expect(run.ended()).toMatchObject([{ outcome: 'limited' }]);
  });

  it('with a limit at the last moment that there is, and all the time in the world, waits until it is stopped', async () => {
    const run = attacked();
    const line = '{"pawl":"limit","limit":"usage-limit","resets_at":"+275760-09-13T00:00:00.000Z"}';
    const runner = run.prepare(['prints', line], { maxWait: '2500000000h' });
    runner.subscribe(
      ({ type }) => type === 'waiting-started' && setImmediate(() => void runner.send({ type: 'stop' })),
    );
    expect(await run.finish()).toMatchObject({ class: 'operator', exitCode: 130 });
  });

  it.each(['1970-01-01T00:00:00Z', '2020-02-02T00:00:00Z'])(
    'with a limit that ended at %s is waited for all the same',
    async (at) => {
      const run = attacked();
      const runner = run.prepare(['prints', `{"pawl":"limit","limit":"overload","resets_at":"${at}"}`]);
      runner.subscribe(
        ({ type }) => type === 'waiting-started' && setImmediate(() => void runner.send({ type: 'stop' })),
      );
      expect(await run.finish()).toMatchObject({ class: 'operator', exitCode: 130 });
      const [waiting] = run.of('waiting-started');
      expect(waiting).toMatchObject({ for: 'overload' });
      expect(Date.parse(waiting?.until ?? '')).toBeGreaterThan(Date.parse(waiting?.at ?? '') + 20_000);
    },
  );

  it('with a context window of nothing is no reason to reboot', async () => {
    const run = attacked();
    const lines = ['{"pawl":"session","id":"s"}', '{"pawl":"context","used_tokens":5,"window_tokens":0}'];
    await run.run(['prints', ...lines], { maxIterations: 2, stop: { limits: [{ context_above: 90 }] } });
    expect(run.ended().map(({ outcome }) => outcome)).toEqual(['completed', 'completed']);
    expect(run.of('reboot-started')).toEqual([]);
    await run.expectWholeRecord();
  });
});

/** Every file below a folder by its path, inode and content, but for Pawl's own. */
function contentOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ path }) => path !== join(folder, 'pawl') && !path.startsWith(join(folder, 'pawl/')))
    .map(({ entry, path }) => {
      const content = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'a folder';
      return `${path} ${statSync(path).ino} ${content}`;
    })
    .sort();
}
