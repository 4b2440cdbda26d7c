import { createHmac } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EMPTY_POLICY } from '../model/policy.js';
import type { NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { RunState } from '../model/run-state.js';
import { type Disk, NODE_DISK } from './disk.js';
import { createFileJournal, openFileJournal } from './open-file-journal.js';
import {
  answerKey,
  type AnswerTicket,
  createSeal,
  isAnswerSigned,
  isSealed,
  makeUserKey,
  readUserKey,
  signAnswer,
  withSeal,
} from './run-seal.js';

let base = '';
beforeEach(() => (base = mkdtempSync(join(tmpdir(), 'pawl-seal-'))));
afterEach(() => rmSync(base, { recursive: true }));

const SPEC: RunSpec = {
  workingDir: '/project',
  promptPath: '/project/PROMPT.md',
  agent: { name: 'claude', args: [], env: {}, permissions: 'edit', allow: [] },
  policy: EMPTY_POLICY,
  checks: {},
  iterationDelayMs: 0,
  iterationTimeoutMs: 1000,
  idleTimeoutMs: 1000,
  maxWaitMs: 1000,
  contextRedlinePercent: 85,
  attendedMode: false,
  session: { mode: 'continue', timeoutMs: 1000, persist: true, stateDir: '/project/.ralph/sessions' },
  hooks: {},
  commit: 'never',
  trackFileChanges: true,
  parseTests: true,
  notify: {},
  prices: {},
};

const environment = (home = 'state') => ({ XDG_STATE_HOME: join(base, home), A_TOKEN: 't0p-s3cret-word' });
const keyFile = (home = 'state') => join(base, home, 'pawl', 'key');
const noProblem = (error: unknown) => {
  throw error;
};

/** The state of a run that this user begins, as it is read again. */
async function begun(home?: string): Promise<RunState> {
  const options = { workingDir: base, environment: environment(home), seal: createSeal(environment(home), noProblem) };
  const journal = createFileJournal(options);
  const spec = { ...SPEC, workingDir: base, tests: { command: 'curl -H t0p-s3cret-word', timeoutMs: 1 } };
  const agent = { name: 'command', usage: 'none' } as const;
  const { runId } = journal;
  journal.append({ type: 'run-started', runId, kind: 'loop', policy: spec.policy, spec, agent, versions: {} }, 0);
  await journal.close();
  const again = openFileJournal({ ...options, runId });
  await again.close();
  return again.state;
}

describe('the seal of a run', () => {
  it('is known again by its user, also where a secret was taken out of the record', async () => {
    const state = await begun();
    expect(state.spec?.tests?.command).toBe('curl -H [A_TOKEN]');
    expect(isSealed(state, environment())).toBe(true);
    expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(state)).not.toContain(readFileSync(keyFile(), 'utf8').trim());
  });

  it('is not known by another user, nor when the key is gone, damaged or another', async () => {
    const state = await begun();
    await begun('other');
    expect(isSealed(state, environment('other'))).toBe(false);
    expect(isSealed(state, environment('nobody'))).toBe(false);
    for (const damage of ['', 'x'.repeat(65), readFileSync(keyFile('other'), 'utf8')]) {
      writeFileSync(keyFile(), damage);
      expect(isSealed(state, environment())).toBe(false);
    }
  });

  it('breaks when anything is changed that is executed, and is missed where there is none', async () => {
    const state = await begun();
    const { spec } = state;
    if (spec === undefined) throw new Error('there is no spec');
    const forged: readonly RunState[] = [
      { ...state, spec: { ...spec, tests: { command: 'touch PWNED', timeoutMs: 1 } } },
      { ...state, spec: { ...spec, agent: { ...spec.agent, permissions: 'bypass' } } },
      { ...state, spec: { ...spec, workingDir: '.' } },
      { ...state, runId: 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAV' },
      { ...state, seal: undefined },
      { ...state, seal: '' },
      { ...state, seal: 7 as never },
      // Sealed by the user for something else: neither says what is executed.
      {
        ...state,
        spec: undefined,
        seal: createSeal(environment(), noProblem)({ runId: String(state.runId) }),
      },
      { ...state, runId: undefined, seal: createSeal(environment(), noProblem)({ spec } as never) },
    ];
    for (const one of forged) expect(isSealed(one, environment())).toBe(false);
  });

  it('is missing where no key can be kept, which is said', () => {
    mkdirSync(join(base, 'state'));
    writeFileSync(join(base, 'state', 'pawl'), 'in the way');
    const problems: unknown[] = [];
    const seal = createSeal(environment(), (error) => problems.push(error));
    expect(seal({ runId: 'loop_1', spec: SPEC })).toBeUndefined();
    expect(problems).toHaveLength(1);
  });

  it('is on no event but those that say what is executed', () => {
    const seal = createSeal(environment(), noProblem);
    const plain = (json: string) => json;
    expect(withSeal({ type: 'tick' }, 'loop_1', seal, plain)).toEqual({ type: 'tick' });
    const unchanged = { type: 'run-resumed', from: 'crashed', spec: undefined } as unknown as NewEvent;
    expect(withSeal(unchanged, 'loop_1', seal, plain)).toEqual(unchanged);
    for (const type of ['run-started', 'manifest-changed', 'run-resumed']) {
      const event = { type, spec: SPEC } as NewEvent;
      const expected = { ...event, seal: seal({ runId: 'loop_1', spec: SPEC }) };
      expect(withSeal(event, 'loop_1', seal, plain)).toEqual(expected);
    }
  });

  it('is not made with a key that is a link to one elsewhere', () => {
    makeUserKey(environment('other'));
    mkdirSync(join(base, 'state', 'pawl'), { recursive: true });
    symlinkSync(keyFile('other'), keyFile());
    expect(readUserKey(environment())).toBeUndefined();
  });

  it('is made with the key that is there, where nothing can be written', () => {
    const key = makeUserKey(environment());
    mkdirSync(join(base, 'state', 'pawl', `.key-${process.pid}`));
    expect(makeUserKey(environment())).toBe(key);
  });

  it('is made with a new key in place of a damaged one, and where there are no hard links', () => {
    mkdirSync(join(base, 'state', 'pawl'), { recursive: true });
    writeFileSync(keyFile(), 'damaged');
    const key = makeUserKey(environment());
    expect(readUserKey(environment())).toBe(key);
    const linkSync = (): never => {
      throw Object.assign(new Error('no links here'), { code: 'EPERM' });
    };
    const other = makeUserKey(environment('other'), { ...NODE_DISK, linkSync });
    expect(readUserKey(environment('other'))).toBe(other);
    expect(readdirSync(join(base, 'other', 'pawl'))).toEqual(['key']);
  });

  it('is made with the key of one who came first by a moment', () => {
    const theirs = 'a'.repeat(64);
    const linkSync: Disk['linkSync'] = (from, to) => {
      writeFileSync(to, `${theirs}\n`);
      NODE_DISK.linkSync(from, to);
    };
    expect(makeUserKey(environment(), { ...NODE_DISK, linkSync })).toBe(theirs);
    expect(readFileSync(keyFile(), 'utf8')).toBe(`${theirs}\n`);
    expect(readdirSync(join(base, 'state', 'pawl'))).toEqual(['key']);
  });

  it('is made with one key by those who begin at once', () => {
    const seals = [1, 2, 3].map(() => createSeal(environment(), noProblem)({ runId: 'loop_1', spec: SPEC }));
    expect(new Set(seals).size).toBe(1);
  });
});

describe('an answer from outside', () => {
  const TICKET: AnswerTicket = { runId: 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAV', question: 'q1', expires: 1_900_000_000 };
  const BODY = '{"answer":"blue"}';
  const signed = (body: string, ticket = TICKET) =>
    signAnswer(ticket, body, answerKey(ticket, makeUserKey(environment())));
  const isTaken = (body: string | Uint8Array, signature: string, ticket = TICKET) =>
    isAnswerSigned(ticket, body, signature, makeUserKey(environment()));

  it('is taken when it is signed as the guide says, by a program that knows nothing but the key of the question', () => {
    const key = answerKey(TICKET, makeUserKey(environment()));
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    const text = `${TICKET.runId}\nq1\n1900000000\n${BODY}`;
    const signature = createHmac('sha256', key).update(text).digest('hex');
    expect(isTaken(BODY, signature)).toBe(true);
    expect(isTaken(Buffer.from(BODY), signature)).toBe(true);
  });

  it('is refused when it was altered on its way', () => {
    const signature = signed(BODY);
    expect(isTaken('{"answer":"red" }', signature)).toBe(false);
    expect(isTaken(`${BODY} `, signature)).toBe(false);
  });

  it.each<[string, Partial<AnswerTicket>]>([
    ['another run', { runId: 'loop_01ARZ3NDEKTSV4RRFFQ69G5FAW' }],
    ['another question', { question: 'q2' }],
    ['a later time', { expires: 2_000_000_000 }],
  ])('is refused for %s than its key was given for', (_, change) => {
    const other = { ...TICKET, ...change };
    const key = answerKey(TICKET, makeUserKey(environment()));
    expect(isTaken(BODY, signed(BODY), other)).toBe(false);
    expect(isTaken(BODY, signAnswer(other, BODY, key), other)).toBe(false);
    expect(isTaken(BODY, signed(BODY, other), other)).toBe(true);
  });

  it('is refused by the key of another user, and in words when there is no whole signature', () => {
    const theirs = signAnswer(TICKET, BODY, answerKey(TICKET, makeUserKey(environment('other'))));
    for (const signature of [theirs, '', signed(BODY).slice(0, 32), `${signed(BODY)}0`]) {
      expect(isTaken(BODY, signature)).toBe(false);
    }
  });

  it('is not signed with the key that seals runs: who may answer cannot forge a run', () => {
    const userKey = makeUserKey(environment());
    expect(answerKey(TICKET, userKey)).not.toBe(userKey);
    expect(isTaken(BODY, signAnswer(TICKET, BODY, userKey))).toBe(false);
  });
});
