import { afterEach, expect, it } from 'vitest';
import { ScratchTree } from '../../test/support/scratch-tree.js';
import { parseCondition } from '../model/parse-condition.js';
import type { RunSpec } from '../model/run-spec.js';
import { watchGuard } from './guard-watch.js';

const open: ScratchTree[] = [];
afterEach(() => {
  for (const tree of open.splice(0)) tree.remove();
});

/** A protected folder whose files are tracked. `writes`: what the tests do at the start. */
async function guarded(writes: (tree: ScratchTree) => void) {
  const tree = new ScratchTree({ hasGit: true });
  open.push(tree);
  for (const path of ['tests/store.json', 'tests/run.sh', 'tests/expected.json']) tree.write(path, 'as it was\n');
  tree.commitAll();
  const policy = { success: [], failure: [parseCondition({ protected_path_changed: ['tests/**'] })], limits: [] };
  const spec = { workingDir: tree.top, policy, checks: {} } as unknown as RunSpec;
  const outputs: string[] = [];
  const guard = watchGuard(spec, tree.environment, () => outputs);
  if (guard === undefined) throw new Error('nothing is protected');
  await guard.begin();
  await guard.beginCommands('before');
  writes(tree);
  await guard.changes();
  outputs.push(...guard.newOutputs);
  await guard.begin();
  return { tree, guard };
}

it('data in a protected folder that the tests write at the start is theirs', async () => {
  const { tree, guard } = await guarded((files) => files.write('tests/store.json', 'one row\n'));
  await guard.beginCommands('after');
  tree.write('tests/store.json', 'two rows\n');
  expect(await guard.changes()).toEqual([]);
});

it('other data in it, and tests that rewrite themselves, are not', async () => {
  const { tree, guard } = await guarded((files) => files.write('tests/run.sh', 'exit 0\n'));
  tree.write('tests/expected.json', 'whatever\n');
  await guard.beginCommands('after');
  tree.write('tests/run.sh', 'exit 1\n');
  expect(await guard.changes()).toEqual(['tests/expected.json', 'tests/run.sh']);
});
