import { conditionKey } from '../../src/model/condition-key.js';
import { parseCondition } from '../../src/model/parse-condition.js';
import type { Policy } from '../../src/model/policy.js';
import { reduce } from '../../src/model/reduce.js';
import type { NewEvent, RunEvent } from '../../src/model/run-event.js';
import { INITIAL_STATE } from '../../src/model/run-state.js';
import { evaluateRun } from '../../src/stop/evaluate-policy.js';

/**
 * A recorded run to read and to judge anew: an agent makes the tests of a small converter of Roman numerals pass. It
 * claims success too early, hangs once, takes a wrong turn, and gets there.
 */
const guard = parseCondition({ protected_path_changed: ['test/**'] });

const policy: Policy = {
  success: [parseCondition('all_tests_pass')],
  failure: [guard, parseCondition({ no_progress: 3 }), parseCondition({ test_failure_streak: 3 })],
  limits: [
    parseCondition({ max_iterations: 8 }),
    parseCondition({ max_cost: 1 }),
    parseCondition({ max_duration: '20m' }),
  ],
};

interface Scene {
  readonly says: string;
  readonly calls: readonly string[];
  /** Undefined: the agent hung and told nothing. */
  readonly costUsd?: number;
  readonly seconds: number;
  readonly passed: number;
  readonly tree: string;
  readonly changed: readonly string[];
  readonly lines: number;
}

const SCENES: readonly Scene[] = [
  {
    says: 'I added the numerals I, V, X, L, C, D and M and sum them up.',
    calls: ['Read test/roman.test.js', 'Write src/roman.js'],
    costUsd: 0.083,
    seconds: 62,
    passed: 4,
    tree: 'b41c9e',
    changed: ['src/roman.js'],
    lines: 24,
  },
  {
    says: 'Subtractive pairs such as IV and IX work now. ALL TESTS PASS.',
    calls: ['Edit src/roman.js'],
    costUsd: 0.117,
    seconds: 81,
    passed: 6,
    tree: '7d20fa',
    changed: ['src/roman.js'],
    lines: 11,
  },
  {
    says: 'Let me look at the remaining failures.',
    calls: ['Bash npm test -- --watch'],
    seconds: 300,
    passed: 6,
    tree: '7d20fa',
    changed: [],
    lines: 0,
  },
  {
    says: 'I will go back to the first version and start over from there.',
    calls: ['Bash git checkout src/roman.js'],
    costUsd: 0.094,
    seconds: 48,
    passed: 4,
    tree: 'b41c9e',
    changed: ['src/roman.js'],
    lines: 11,
  },
  {
    says: 'Table of values instead of a sum: one entry per pair.',
    calls: ['Write src/roman.js'],
    costUsd: 0.131,
    seconds: 95,
    passed: 7,
    tree: '0a93d5',
    changed: ['src/roman.js', 'src/table.js'],
    lines: 38,
  },
  {
    says: 'Zero and negative numbers are refused with a RangeError now.',
    calls: ['Edit src/roman.js', 'Bash npm test'],
    costUsd: 0.072,
    seconds: 44,
    passed: 8,
    tree: 'e6651b',
    changed: ['src/roman.js'],
    lines: 6,
  },
];

const TESTS = 8;

export function recordedRun(): RunEvent[] {
  const recorder = createRecorder();
  recorder.add({
    type: 'run-started',
    runId: 'loop_01K8T6Q2N5DEM0RVNR0MANNVMS',
    kind: 'loop',
    policy,
    agent: { name: 'claude', usage: 'live', model: 'claude-sonnet-4-5' },
    versions: { pawl: '0.1.0' },
  });
  recorder.add({ type: 'baseline-observed', observation: { tree: '1f8e07', tests: testResults(3), ...guardHeld() } });
  recorder.judge(0);
  SCENES.forEach((scene, index) => play(recorder, scene, index + 1, SCENES[index - 1]?.tree ?? '1f8e07'));
  const { verdict } = recorder.state();
  recorder.add({ type: 'run-ended', state: 'completed', class: 'goal', reasons: verdict?.reasons ?? [] });
  return recorder.events;
}

function play(recorder: ReturnType<typeof createRecorder>, scene: Scene, iteration: number, treeBefore: string): void {
  const hung = scene.costUsd === undefined;
  recorder.add({ type: 'iteration-started', iteration, try: 1, cookie: `pawl-${iteration}` }, 5);
  for (const [index, call] of scene.calls.entries()) {
    const [name = '', ...input] = call.split(' ');
    recorder.add(
      { type: 'tool-called', id: `t${iteration}-${index}`, name, input: input.join(' ') },
      scene.seconds / 4,
    );
    if (!hung) recorder.add({ type: 'tool-answered', id: `t${iteration}-${index}` }, 2);
  }
  recorder.add({ type: 'agent-said', text: scene.says }, 3);
  if (!hung) {
    const spend = {
      inputTokens: Math.round(scene.costUsd * 220_000),
      outputTokens: Math.round(scene.costUsd * 22_000),
      costUsd: scene.costUsd,
    };
    recorder.add({ type: 'usage-reported', scope: 'turn', model: 'claude-sonnet-4-5', spend });
    recorder.add({ type: 'agent-finished', summary: scene.says });
  }
  recorder.add(
    {
      type: 'iteration-ended',
      iteration,
      outcome: hung ? 'timed-out' : 'completed',
      agentStarted: true,
      durationMs: scene.seconds * 1000,
      observation: {
        tests: testResults(scene.passed),
        files: {
          treeBefore,
          treeAfter: scene.tree,
          created: [],
          modified: scene.changed,
          deleted: [],
          changedFiles: scene.changed.length,
          changedLines: scene.lines,
        },
        summary: scene.says,
        ...guardHeld(),
      },
    },
    scene.seconds / 2,
  );
  recorder.judge(iteration);
}

function testResults(passed: number) {
  const failed = TESTS - passed;
  return {
    source: 'harness',
    framework: 'node:test',
    exitCode: failed === 0 ? 0 : 1,
    total: TESTS,
    passed,
    failed,
    skipped: 0,
    details: [],
  } as const;
}

function guardHeld() {
  return { probes: { [conditionKey(guard)]: { met: false, detail: 'nothing under test/** changed' } } };
}

function createRecorder() {
  const events: RunEvent[] = [];
  let state = INITIAL_STATE;
  let seconds = 0;
  const add = (event: NewEvent, after = 1): void => {
    seconds += after;
    const at = new Date(Date.UTC(2026, 1, 14, 23, 12, 0) + seconds * 1000).toISOString();
    const recorded = { v: 1, seq: events.length + 1, at, activeMs: Math.round(seconds * 1000), ...event } as RunEvent;
    events.push(recorded);
    state = reduce(state, recorded);
  };
  const judge = (iteration: number) => add({ type: 'verdict-reached', iteration, verdict: evaluateRun(state) }, 0);
  return { events, add, judge, state: () => state };
}
