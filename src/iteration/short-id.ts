import { createHash } from 'node:crypto';

const LONGEST_CHARACTERS = 200;

/** An id that an agent made up, in a length that can be kept many times over. Different ids stay different. */
export function shortId(id: string): string {
  return id.length <= LONGEST_CHARACTERS ? id : createHash('sha256').update(id).digest('hex');
}
