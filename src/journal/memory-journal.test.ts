import { expect, it } from 'vitest';
import { memoryJournal } from './memory-journal.js';

it('a reader that appends is given what was there when it began, and comes to its end', async () => {
  const journal = memoryJournal();
  journal.append({ type: 'paused' }, 0);
  journal.append({ type: 'paused' }, 0);
  const seqs: number[] = [];
  for await (const event of journal.read()) {
    seqs.push(event.seq);
    if (seqs.length < 10) journal.append({ type: 'paused' }, 0);
  }
  expect(seqs).toEqual([1, 2]);
});

it('a journal that is closed says that nothing can be appended to it', async () => {
  const journal = memoryJournal();
  await journal.close();
  expect(() => journal.append({ type: 'paused' }, 0)).toThrow(/append to/);
});
