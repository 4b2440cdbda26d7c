import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

const OWN = '/proc/self';

/** The files that this process has open, on Linux. */
export function openFiles(): readonly string[] {
  return readdirSync(join(OWN, 'fd')).flatMap((descriptor) => read(() => readlinkSync(join(OWN, 'fd', descriptor))));
}

/** How many files and folders this process lets the system watch, on Linux. */
export function watchCount(): number {
  const infos = readdirSync(join(OWN, 'fdinfo')).flatMap((descriptor) =>
    read(() => readFileSync(join(OWN, 'fdinfo', descriptor), 'utf8')),
  );
  return infos.join('').split(/^inotify wd:/m).length - 1;
}

/** A descriptor may be closed meanwhile, such as that of the folder itself. */
function read(action: () => string): readonly string[] {
  try {
    return [action()];
  } catch {
    return [];
  }
}
