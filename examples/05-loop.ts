import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LoopRunner, maxIterations } from 'pawl';

// A loop over a command of one's own, done when a function of one's own says so. Its answers are recorded.
const workingDir = mkdtempSync(join(tmpdir(), 'pawl-example-'));
writeFileSync(join(workingDir, 'agent.sh'), 'read task; echo "on it: $task"; echo x >> marks\n');

const marks = join(workingDir, 'marks');
const threeMarks = () => {
  const made = existsSync(marks) ? readFileSync(marks, 'utf8').split('x').length - 1 : 0;
  return { met: made >= 3, reason: `${made} marks are made` };
};

const runner = new LoopRunner({
  workingDir,
  prompt: 'make a mark',
  agent: { command: ['sh', 'agent.sh'] },
  iterationDelay: 0,
  stop: { success: [threeMarks], limits: [maxIterations(10)] },
});

runner.subscribe((event) => {
  if (event.type === 'agent-said') console.log(event.text);
  if (event.type === 'iteration-ended')
    console.log(`iteration ${event.iteration}: ${event.observation.files?.changedFiles} file changed`);
});
const { status, reasons } = await runner.run();
console.log(`${status}: ${reasons[0]?.message}`);
rmSync(workingDir, { recursive: true });

// Prints:
// on it: make a mark
// iteration 1: 1 file changed
// on it: make a mark
// iteration 2: 1 file changed
// on it: make a mark
// iteration 3: 1 file changed
// completed: 3 marks are made
