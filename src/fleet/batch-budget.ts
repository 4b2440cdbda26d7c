import type { Database } from './database.js';
import { batchSpend } from './fleet-queue.js';

/** Why no run of the batch may go on; undefined while there is something left to spend. */
export async function batchStop(database: Database, batch: string | undefined): Promise<string | undefined> {
  if (batch === undefined) return undefined;
  const found = await batchSpend(database, batch);
  if (found?.maxCostUsd === undefined || found.spentUsd < found.maxCostUsd) return undefined;
  return `the batch ${batch}: $${found.spentUsd.toFixed(2)} of $${found.maxCostUsd.toFixed(2)} are spent`;
}
