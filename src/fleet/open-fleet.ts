import type { Database } from './database.js';
import { type Jobs, type JobsOptions, openJobs } from './engine/boss.js';
import { checkSchema } from './schema.js';

/** The database of a fleet with the jobs in it. */
export interface Fleet extends Database {
  readonly jobs: Jobs;
}

/** Throws ConfigError when the database is not prepared for this Pawl. The fleet closes the database, too. */
export async function openFleet(database: Database, options?: JobsOptions): Promise<Fleet> {
  await checkSchema(database);
  const jobs = await openJobs(database, options);
  const close = async (): Promise<void> => {
    await jobs.close();
    await database.close();
  };
  return { ...database, jobs, close };
}
