import { realpathSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';

/** Where a path leads to after all links; of what is not there yet, where it would be. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}

/** Where a path leads to after all links, if that is outside a folder. */
export function placeOutside(path: string, folder: string): string | undefined {
  return isInside(path, folder) ? undefined : realPlace(path);
}

/** Whether a path, after all links, lies in a folder or is it. */
export function isInside(path: string, folder: string): boolean {
  const top = realPlace(folder);
  const place = realPlace(path);
  return place === top || place.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}
