import { parentPort, workerData } from 'node:worker_threads';
import type { FuzzOrder, FuzzReport, FuzzTarget } from './fuzz-target.js';
import { mutantOf } from './mutator.js';
import { TARGETS } from './targets/index.js';

const SHOWN_CHARACTERS = 1500;

const order = workerData as FuzzOrder;
const target = TARGETS[order.name];
if (target === undefined) throw new Error(`there is no target ${order.name}`);
const port = parentPort;
if (port === null) throw new Error('this is no worker');
port.postMessage(fuzz(target, order));

/** Goes through the inputs until one shows a fault. */
function fuzz({ corpus, check }: FuzzTarget, { root, seed, from, count, progress }: FuzzOrder): FuzzReport {
  const recordings = corpus(root);
  const current = new Int32Array(progress);
  for (let index = from; index < from + count; index += 1) {
    Atomics.store(current, 0, index);
    const input = mutantOf(recordings, seed, index);
    const fault = faultIn(check, input) ?? pollution();
    if (fault !== undefined) {
      return {
        kind: 'fault',
        index,
        fault,
        input: JSON.stringify(input.toString('latin1')).slice(0, SHOWN_CHARACTERS),
      };
    }
  }
  return { kind: 'done' };
}

function faultIn(check: FuzzTarget['check'], input: Buffer): string | undefined {
  try {
    return check(input);
  } catch (error) {
    return `it threw ${error instanceof Error ? error.stack : String(error)}`;
  }
}

function pollution(): string | undefined {
  return 'polluted' in {} ? 'it has changed the prototype of everything' : undefined;
}
