/** A second opinion on each item of a pipeline. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { itemAt } from '../model/item-state.js';
import type { EventOf, RunEvent } from '../model/run-event.js';
import { reviewSpend } from '../model/spend-lanes.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { createPipeline, resumePipeline, type RunPipelineOptions } from './run-pipeline.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-pipeline-review-'));
afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));

const DONE = '{"answer": "done", "reasons": ["it rhymes"]}';
const NOT_DONE = '{"answer": "not_done", "reasons": ["it does not rhyme"]}';
/** Gives its answers one after the other, and keeps what it was asked. A line that begins with `!` is run. */
const REVIEWER = `#!/bin/sh
count=$(ls "$SCENE" | grep -c '^asked-')
cat > "$SCENE/asked-$count"
line=$(sed -n "$((count + 1))p" "$SCENE/answers")
[ -z "$line" ] && line=$(tail -n 1 "$SCENE/answers")
case "$line" in '!'*) eval "\${line#!}" ;; *) printf '%s\\n' "$line" ;; esac
`;
const LIMITED = `!echo '{"pawl":"limit","message":"usage limit reached","limit":"usage-limit"}'; exit 1`;

interface Given {
  readonly items?: string;
  readonly answers: readonly string[];
  readonly more?: string;
  readonly made?: string;
  readonly review?: string;
  readonly options?: RunPipelineOptions;
  readonly onEvent?: (event: RunEvent) => void;
}

const MAKE = 'n=$(ls tries-* 2>/dev/null | wc -l); touch "tries-$n"; echo "verse $n of $PAWL_ITEM_ID" > "$PAWL_OUTPUT"';

async function play({ items = 'a', answers, more = '', made = MAKE, review = '', options, onEvent }: Given) {
  const scene = mkdtempSync(join(base, 'scene-'));
  const environment = { PATH: process.env['PATH'], HOME: scene, XDG_STATE_HOME: join(scene, 'state'), SCENE: scene };
  writeFileSync(join(scene, 'review.sh'), REVIEWER, { mode: 0o755 });
  writeFileSync(join(scene, 'answers'), `${answers.join('\n')}\n`);
  const generate = `generate: { command: ${JSON.stringify(made)}, output: 'out/{{item.id}}.txt' }`;
  const manifest = `items: [${items}]\n${generate}\nreview: { command: ./review.sh${review} }\n${more}\n`;
  writeFileSync(join(scene, 'pipeline.yaml'), manifest);
  const settings = { cwd: scene, environment, control: false } as const;
  const events: RunEvent[] = [];
  const follow = (handle: Awaited<ReturnType<typeof createPipeline>>) => {
    handle.subscribe((event) => {
      events.push(event);
      if (event.type === 'waiting-started') setImmediate(() => void handle.send({ type: 'resume' }));
      onEvent?.(event);
    });
    return handle.run();
  };
  const result = await follow(await createPipeline('pipeline.yaml', { ...settings, ...options }));
  const list = (prefix: string) => readdirSync(scene).filter((name) => name.startsWith(prefix));
  return {
    result,
    events,
    made: () => list('tries-').length,
    asked: () =>
      list('asked-')
        .sort()
        .map((name) => readFileSync(join(scene, name), 'utf8')),
    output: (id: string) => readFileSync(join(scene, 'out', `${id}.txt`), 'utf8'),
    answer: (...lines: readonly string[]) => writeFileSync(join(scene, 'answers'), `${lines.join('\n')}\n`),
    resume: async () => follow(await resumePipeline(settings)),
    outcomes: () =>
      events.flatMap((event) => (event.type === 'attempt-ended' ? [[event.outcome, event.reasons?.[0]]] : [])),
    reviews: () =>
      events
        .filter((event): event is EventOf<'review-ended'> => event.type === 'review-ended')
        .map(({ problem, opinion }) => problem?.kind ?? opinion?.answer),
  };
}

describe('a review of an item', () => {
  it('approves what it agrees with; its reasons are in the next attempt', async () => {
    const scene = await play({ answers: [NOT_DONE, DONE], review: ', goal: it rhymes' });
    expect(scene.result).toMatchObject({ class: 'goal' });
    expect(scene.outcomes()).toEqual([
      ['retry', 'REVIEW_NOT_DONE'],
      ['approved', undefined],
    ]);
    expect(scene.output('a')).toBe('verse 1 of a\n');
    const [first = ''] = scene.asked();
    expect(first).toMatch(/goal\nit rhymes\n/);
    expect(first).toMatch(/output\nverse 0 of a\n/);
    expect(first).toContain('"id":"a"');
    const [ended] = scene.events.filter((event) => event.type === 'attempt-ended');
    expect(ended).toMatchObject({ message: 'it does not rhyme' });
    expect(scene.events.filter(({ type }) => type === 'review-started')).toMatchObject([{ index: 0 }, { index: 0 }]);
  });

  it('rejects what needs a person, and asks only about what the audit approves', async () => {
    const answers = ['{"answer": "blocked", "reasons": ["no key"], "question": "Which tone?"}'];
    const scene = await play({
      items: 'a, b',
      answers,
      more: `audit: 'test "$PAWL_ITEM_ID" = a || exit 10'\nretry: { stop_conditions: { max_reject_rate: 1, min_items: 9 } }`,
    });
    expect(scene.outcomes()).toEqual([
      ['rejected', 'REVIEW_BLOCKED'],
      ['rejected', undefined],
    ]);
    expect(scene.asked()).toHaveLength(1);
  });

  it('sees what an agent has said where there is no output, and that a file is not text', async () => {
    const scene = mkdtempSync(join(base, 'scene-'));
    writeFileSync(join(scene, 'review.sh'), `#!/bin/sh\ncat >> asked; echo '${DONE}'\n`, { mode: 0o755 });
    const review = `review: { command: [sh, -c, 'cat >> ${scene}/asked; echo "$0"', '${DONE}'] }`;
    const environment = { PATH: process.env['PATH'], HOME: scene, XDG_STATE_HOME: join(scene, 'state') };
    const settings = { cwd: scene, environment, control: false } as const;
    writeFileSync(
      join(scene, 'one.yaml'),
      `items: [a]\ngenerate: { agent: claude, prompt: 'Rhyme {{item.id}}' }\n${review}\n`,
    );
    const agent = scriptedAgent([{ events: [{ kind: 'text', text: 'A verse.' }] }]);
    expect(await (await createPipeline('one.yaml', { ...settings, agent })).run()).toMatchObject({ class: 'goal' });
    writeFileSync(
      join(scene, 'two.yaml'),
      `items: [a]\ngenerate: { command: 'printf "a\\0b" > "$PAWL_OUTPUT"', output: 'out-{{item.id}}' }\n${review}\n`,
    );
    expect(await (await createPipeline('two.yaml', settings)).run()).toMatchObject({ class: 'goal' });
    const asked = readFileSync(join(scene, 'asked'), 'utf8');
    expect(asked).toContain('Rhyme a');
    expect(asked).toMatch(/last-message\nA verse\.\n/);
    expect(asked).toMatch(/output\n\(3 bytes that are not text\)\n/);
  });

  it('one is made at a time, and what it costs is kept apart', async () => {
    const paid = `!echo '{"pawl":"usage","cost_usd":0.02}'; echo '${DONE}'`;
    const scene = await play({ items: 'a, b, c', answers: [paid], more: 'concurrency: 3' });
    expect(scene.result).toMatchObject({ class: 'goal' });
    const order = scene.events.flatMap(({ type }) => (type.startsWith('review-') ? [type] : []));
    expect(order).toEqual(Array.from({ length: 3 }, () => ['review-started', 'review-ended']).flat());
    expect(reviewSpend(scene.result.state.spend)?.costUsd).toBeCloseTo(0.06);
  });
});

describe('a review of an item that cannot be made', () => {
  it('is waited for, and nothing is made meanwhile: neither this item again nor another', async () => {
    const scene = await play({ items: 'a, b', answers: [LIMITED, DONE] });
    expect(scene.result).toMatchObject({ class: 'goal' });
    expect(scene.reviews()).toEqual(['limit', 'done', 'done']);
    expect(scene.made()).toBe(2);
    expect(scene.output('a')).toBe('verse 0 of a\n');
    const types = scene.events.map(({ type }) => type);
    expect(types.slice(types.indexOf('waiting-started'), types.indexOf('waiting-ended'))).not.toContain(
      'attempt-started',
    );
    expect(itemAt(scene.result.state.pipeline?.states, 0)).not.toHaveProperty('made');
  });

  it('needs you, and a resume reviews what was made, without making it again', async () => {
    const scene = await play({
      answers: [`!echo '{"pawl":"error","message":"invalid api key","kind":"auth"}'; exit 1`],
    });
    expect(scene.result).toMatchObject({ class: 'blocked' });
    expect(scene.result.reasons[0]?.message).toMatch(/^the review could not be made: .*invalid api key/);
    scene.answer(DONE);
    expect(await scene.resume()).toMatchObject({ class: 'goal' });
    expect(scene.made()).toBe(1);
    expect(scene.output('a')).toBe('verse 0 of a\n');
  });

  it('garbage three times needs you', async () => {
    const scene = await play({ answers: ['fine'] });
    expect(scene.reviews()).toEqual(['silent', 'silent', 'silent']);
    expect(scene.result).toMatchObject({ class: 'blocked' });
    expect(scene.made()).toBe(1);
  });

  it('over its budget needs you, and is not asked', async () => {
    const paid = `!echo '{"pawl":"usage","cost_usd":0.6}'; echo '${DONE}'`;
    const scene = await play({ items: 'a, b', answers: [paid], review: ', max_cost: 0.5' });
    expect(scene.result).toMatchObject({ class: 'blocked' });
    expect(scene.result.reasons[0]?.message).toContain('review.max_cost');
    expect(scene.asked()).toHaveLength(1);
  });

  it('that crosses the limit of the run is ended', async () => {
    const made = `printf '{"pawl":"usage","cost_usd":0.1}'; echo x > "$PAWL_OUTPUT"`;
    const scene = await play({
      answers: [`!echo '{"pawl":"usage","cost_usd":5}'; sleep 300`],
      made,
      review: ', max_cost: 50',
      more: 'limits: [{ max_cost: 1 }]',
    });
    expect(scene.result).toMatchObject({ class: 'limit' });
    expect(scene.outcomes()).toEqual([['interrupted', undefined]]);
  });

  it('ended at once, it is made by a resume, for what was made', async () => {
    const stop = new AbortController();
    const scene = await play({
      answers: ['!sleep 300'],
      options: { signal: stop.signal },
      onEvent: ({ type }) => void (type === 'review-started' && setImmediate(() => stop.abort())),
    });
    expect(scene.result).toMatchObject({ class: 'operator' });
    scene.answer(DONE);
    expect(await scene.resume()).toMatchObject({ class: 'goal' });
    expect(scene.made()).toBe(1);
  });
});

it('a review in a manifest has no moments of its own', async () => {
  await expect(play({ answers: [DONE], review: ', when: stuck' })).rejects.toThrow(/review\.when: has no meaning here/);
  await expect(play({ answers: [DONE], review: ', every: 2' })).rejects.toThrow(/review\.every: has no meaning here/);
});
