import { isRecord } from '../model/show-value.js';
import type { PushedWork } from '../workspace/clone.js';
import type { Query } from './database.js';

/** Looked for from the end. The texts of an agent have their quotes escaped: no line of theirs looks like this. */
const LAST_COMMITTED = `
select line from pawl.events
where run = $1 and line like '%"type":"work-committed"%' and line like '%"commit":"%' and line not like '%"error":"%'
order by seq desc limit 1`;

/** What the branch of a run must hold; undefined when nothing of it was ever pushed. */
export async function findPushedWork(query: Query, runId: string): Promise<PushedWork | undefined> {
  const [found] = await query<{ line: string }>(LAST_COMMITTED, [runId]);
  const event: unknown = found === undefined ? undefined : JSON.parse(found.line);
  if (!isRecord(event)) return undefined;
  const { commit, iteration } = event;
  return typeof commit === 'string' && typeof iteration === 'number' ? { commit, iteration } : undefined;
}
