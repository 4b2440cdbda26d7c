import { describe, expect, it } from 'vitest';
import { childrenOf, leavesOf } from './condition.js';
import { priority } from './condition-catalog.js';
import { conditionKey } from './condition-key.js';
import { errorFingerprint } from './error-fingerprint.js';
import {
  AlreadyRunning,
  ConfigError,
  FileSystemError,
  formatIssue,
  InvalidState,
  IterationTimeout,
  JournalDamaged,
  LockedError,
  messageOf,
  PromptLoadFailed,
} from './errors.js';
import { EXIT_CODES, exitCodeOf } from './exit-code.js';
import { canonicalJson, deepFreeze } from './json.js';
import { canPause, canResume, canStart, isActive, isTerminal, type LoopState } from './loop-state.js';
import { didYouMean, nearest } from './nearest.js';
import { parseCondition } from './parse-condition.js';
import { EVENT_TYPES, isEventType } from './run-event.js';
import { rankOf, STOP_CLASSES } from './stop-class.js';

describe('loop states', () => {
  const states: LoopState[] = ['idle', 'running', 'paused', 'waiting', 'rebooting', 'completed', 'stopped', 'error'];
  const where = (predicate: (state: LoopState) => boolean) => states.filter(predicate);

  it('say what may be done in them', () => {
    expect(where(isTerminal)).toEqual(['completed', 'stopped', 'error']);
    expect(where(isActive)).toEqual(['running', 'rebooting']);
    expect(where(canStart)).toEqual(['idle', 'stopped', 'error']);
    expect(where(canPause)).toEqual(['running', 'rebooting']);
    expect(where(canResume)).toEqual(['paused', 'waiting']);
  });
});

describe('exit codes', () => {
  it('are distinct for what a script must tell apart', () => {
    expect(EXIT_CODES).toEqual({
      goal: 0,
      error: 1,
      usage: 2,
      limit: 3,
      veto: 4,
      failure: 4,
      blocked: 5,
      operator: 130,
    });
    expect(exitCodeOf('limit')).toBe(3);
  });
});

describe('classes', () => {
  it('rank veto > goal > operator > blocked > failure > limit', () => {
    expect([...STOP_CLASSES].sort((a, b) => rankOf(a) - rankOf(b))).toEqual([
      'veto',
      'goal',
      'operator',
      'blocked',
      'failure',
      'limit',
    ]);
  });
});

describe('priorities', () => {
  it('[c8] are those of spec 104', () => {
    const of = (input: unknown) => priority(parseCondition(input));
    expect(
      [
        'on_error',
        'user_signal',
        { max_iterations: 1 },
        { max_duration: '1s' },
        { max_cost: 1 },
        { max_tokens: 1 },
        { test_failure_streak: 1 },
        { no_progress: 1 },
        'all_tests_pass',
        { specific_tests_pass: 'a' },
        { output_pattern: 'a' },
        { file_created: 'a' },
        { file_contains: { path: 'a', content: 'b' } },
        { custom_script: 'a' },
        { all: ['never'] },
        { any: ['never'] },
        { not: 'never' },
        'never',
      ].map(of),
    ).toEqual([100, 90, 80, 80, 80, 80, 70, 70, 60, 60, 50, 40, 40, 30, 20, 20, 10, 0]);
  });

  it('of a pipeline are breaker, consecutive, reject, retry', () => {
    const rates = [{ circuit_breaker: 1 }, { consecutive_fails: 1 }, { reject_rate: 1 }, { retry_rate: 1 }];
    const numbers = rates.map((input) => priority(parseCondition(input)));
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    expect(new Set(numbers).size).toBe(4);
  });
});

describe('condition trees', () => {
  const tree = parseCondition({
    all: [
      'never',
      { not: { any: [{ max_cost: 1 }, 'all_tests_pass'] } },
      { for: { iterations: 2, condition: 'on_error' } },
    ],
  });

  it('have children and leaves', () => {
    expect(childrenOf(tree).map((child) => child.type)).toEqual(['never', 'not', 'for']);
    expect(leavesOf(tree).map((leaf) => leaf.type)).toEqual(['never', 'max_cost', 'all_tests_pass', 'on_error']);
    expect(childrenOf(parseCondition('never'))).toEqual([]);
  });

  it('have one key for equal conditions, whatever the order of fields and their class', () => {
    const one = parseCondition({ type: 'file_contains', path: 'a', content: 'b', class: 'failure' });
    const same = parseCondition({ confirm: 2, type: 'file_contains', content: 'b', path: 'a' });
    const other = parseCondition({ type: 'file_contains', path: 'a', content: 'c' });
    expect(conditionKey(one)).toBe(conditionKey(same));
    expect(conditionKey(one)).toBe('{"content":"b","path":"a","type":"file_contains"}');
    expect(conditionKey(one)).not.toBe(conditionKey(other));
    expect(conditionKey(one)).toBe(conditionKey(one));
  });
});

describe('canonical JSON', () => {
  it('sorts keys, keeps order of lists, leaves undefined out', () => {
    expect(canonicalJson({ b: [2, { d: 1, c: undefined }], a: null, e: 'x"' })).toBe(
      '{"a":null,"b":[2,{"d":1}],"e":"x\\""}',
    );
    expect(canonicalJson(undefined)).toBe('null');
  });

  it('freezes to the innermost, and what is frozen already only once', () => {
    const value = deepFreeze({ a: { b: [1] } });
    expect(Object.isFrozen(value.a.b)).toBe(true);
    expect(deepFreeze(value)).toBe(value);
  });
});

describe('the nearest word', () => {
  it('is found within a few letters, and not beyond', () => {
    expect(nearest('max_iteration', ['max_cost', 'max_iterations'])).toBe('max_iterations');
    expect(nearest('MAX_COST', ['max_cost'])).toBe('max_cost');
    expect(nearest('zzz', ['max_cost'])).toBeUndefined();
    expect(nearest('ab', ['abcd'])).toBe('abcd');
    expect(nearest('ab', ['abcde'])).toBeUndefined();
    expect(nearest('limtis', ['limit', 'limits'])).toBe('limits');
    expect(nearest('x'.repeat(1e6), ['max_cost'])).toBeUndefined();
  });

  it('is offered politely', () => {
    expect(didYouMean('stpo', ['stop'])).toBe('; did you mean "stop"?');
    expect(didYouMean('qqqqqq', ['stop'])).toBe('');
  });
});

describe('an error fingerprint', () => {
  it.each([
    [
      'Request req_011CabcdefGH failed at 2026-01-02T03:04:05.678Z',
      'Request req_9zyxwvutsrq failed at 2027-12-31 23:59:59',
    ],
    ['ENOENT: /tmp/a-1/b.txt line 3', 'ENOENT: /home/me/x/y.txt line 99'],
    ['id 550e8400-e29b-41d4-a716-446655440000  gone', 'id 123e4567-e89b-12d3-a456-426614174000 gone'],
    ['commit 9fceb02d0ae598e95dc970b74767f19372d61af8', 'commit 0123456789abcdef'],
    ['retry in 1.5 s', 'retry in 30 s'],
    ['Too   many\nrequests', 'too many requests'],
    ['C:\\Users\\a\\b.ts missing', 'D:\\x\\y.ts missing'],
  ])('is the same for %j and %j', (a, b) => {
    expect(errorFingerprint(a)).toBe(errorFingerprint(b));
  });

  it('differs for different errors and stays short', () => {
    expect(errorFingerprint('disk full')).not.toBe(errorFingerprint('login failed'));
    expect(errorFingerprint('deadbeef cafe')).toBe('deadbeef cafe');
    expect(errorFingerprint('x '.repeat(5000)).length).toBe(300);
    expect(errorFingerprint('  a  ')).toBe('a');
  });
});

describe('events', () => {
  it('are known by their type', () => {
    expect(isEventType('tick')).toBe(true);
    expect(isEventType('toString')).toBe(false);
  });

  it('that change where a run stands are on disk before anybody hears of them', () => {
    const live = Object.entries(EVENT_TYPES).filter(([, info]) => !info.synced);
    expect(live.map(([type]) => type).sort()).toEqual([
      'agent-finished',
      'agent-said',
      'agent-spawned',
      'attempt-ended',
      'attempt-started',
      'batch-spend-seen',
      'context-reported',
      'day-spend-seen',
      'error-seen',
      'green-seen',
      'hook-started',
      'item-ended',
      'item-started',
      'iteration-status',
      'limit-hit',
      'notification-sent',
      'permission-denied',
      'session-opened',
      'tick',
      'tool-answered',
      'tool-called',
      'usage-reported',
      'verdict-reached',
    ]);
    expect(Object.values(EVENT_TYPES).every((info) => info.v === 1)).toBe(true);
  });
});

describe('errors', () => {
  it('carry a code, a message that names the place, and their cause', () => {
    const cause = new Error('no space');
    const errors = [
      new ConfigError([
        { path: 'a.b', message: 'bad', place: 'pawl.yaml:7:5' },
        { path: '', message: 'worse' },
      ]),
      new InvalidState('completed', 'pause'),
      new AlreadyRunning('loop_1'),
      new PromptLoadFailed('PROMPT.md', cause),
      new IterationTimeout(3, 500),
      new FileSystemError('write', '/x', cause),
      new LockedError('/lock', 'held by run loop_1'),
      new JournalDamaged('j.jsonl', 12, 'the checksum does not fit'),
    ];
    expect(errors.map((error) => `${error.code}|${error.name}|${error.message}`)).toEqual([
      'ConfigError|ConfigError|pawl.yaml:7:5 a.b: bad\nworse',
      'InvalidState|InvalidState|cannot pause a run that is completed',
      'AlreadyRunning|AlreadyRunning|run loop_1 is already running',
      'PromptLoadFailed|PromptLoadFailed|the prompt PROMPT.md cannot be read: no space',
      'IterationTimeout|IterationTimeout|iteration 3 did not end within 500 ms',
      'FileSystemError|FileSystemError|cannot write /x: no space',
      'LockedError|LockedError|held by run loop_1\n  the lock is /lock',
      'JournalDamaged|JournalDamaged|j.jsonl:12: the checksum does not fit',
    ]);
    expect(errors[3]?.cause).toBe(cause);
    expect(errors[5]).toMatchObject({ path: '/x', cause });
    expect(errors[6]).toMatchObject({ path: '/lock' });
    expect(errors[7]).toMatchObject({ path: 'j.jsonl', line: 12 });
    expect(formatIssue({ path: 'a', message: 'b' })).toBe('a: b');
    expect(messageOf('text')).toBe('text');
  });
});
