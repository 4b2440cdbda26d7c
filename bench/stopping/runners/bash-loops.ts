import type { Ending, Scenario } from '../scenarios/scenario.js';
import { MARKER } from '../scenarios/steps.js';
import type { Stage } from '../stage.js';
import type { RunnerEnd, StopRunner } from '../stop-runner.js';

/** Their own exit codes, and that of timeout(1). */
const ENDINGS: Readonly<Record<number, Ending>> = {
  0: 'done',
  1: 'out of budget',
  124: 'out of budget',
  137: 'out of budget',
};
const ending = ({ exitCode }: RunnerEnd): Ending | undefined => ENDINGS[exitCode];

/** What most people begin with. */
export const bashLoop: StopRunner = {
  name: 'bash loop',
  kind: 'bash loop',
  version: undefined,
  prepare(stage, { wants }) {
    const script = `for i in $(seq ${wants.maxIterations}); do
  claude -p "$(cat PROMPT.md)" --dangerously-skip-permissions < /dev/null 2>&1 | tee ../last-words
  if grep -q '${MARKER}' ../last-words; then exit 0; fi
done
exit 1
`;
    stage.write('../loop.sh', script);
  },
  command: () => ['bash', '../loop.sh'],
  resume: () => ['bash', '../loop.sh'],
  ending,
};

/** What somebody writes who has been bitten: the goal is checked, not believed, and nothing may take for ever. */
export const carefulLoop: StopRunner = {
  name: 'careful bash loop',
  kind: 'careful loop',
  version: undefined,
  prepare(stage, scenario) {
    stage.write('../loop.sh', carefulScript(stage, scenario));
  },
  command: (_, { wants }) => [
    'timeout',
    '-k',
    '3',
    String((wants.maxDurationMs ?? 4 * 3_600_000) / 1000),
    'bash',
    '../loop.sh',
  ],
  resume: (stage, scenario) => carefulLoop.command(stage, scenario),
  ending,
};

function carefulScript({ hasTests }: Stage, { wants }: Scenario): string {
  const checks = {
    tests: './run-tests.sh > /dev/null 2>&1',
    'done-file': '[ -e DONE.md ]',
    marker: `grep -q '${MARKER}' ../last-words 2> /dev/null`,
  } as const;
  const limit = (wants.iterationTimeoutMs ?? 1_800_000) / 1000;
  return `is_done() { ${hasTests ? checks.tests : checks[wants.goal]}; }
for i in $(seq ${wants.maxIterations}); do
  if is_done; then exit 0; fi
  timeout -k 3 ${limit} claude -p --dangerously-skip-permissions < PROMPT.md > ../last-words 2>&1
done
if is_done; then exit 0; fi
exit 1
`;
}
