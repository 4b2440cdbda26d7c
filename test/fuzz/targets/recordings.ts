import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One byte in each character, so that what is no text can be written too. */
export function recording(path: string): string {
  return readFileSync(path, 'latin1');
}

export function recordingsIn(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => recording(join(folder, name)));
}

/** Some lines at a time: a whole recording would hide what is done to one of them. */
export function windowsOf(recordings: readonly string[], lineCount: number): readonly string[] {
  return recordings.flatMap((text) => {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines
      .filter((_, index) => index % lineCount === 0)
      .map((_, index) => lines.slice(index * lineCount, (index + 1) * lineCount).join('\n'));
  });
}
