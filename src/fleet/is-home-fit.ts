import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the smallest run needs. */
const NEEDED_BYTES = 1024 * 1024;

/** Whether something can be written into the home of a worker: a run that fails where nothing can is not at fault. */
export async function isHomeFit(home: string): Promise<boolean> {
  const path = join(home, `.room-${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(path, randomBytes(NEEDED_BYTES), { flush: true });
    return true;
  } catch {
    return false;
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
