export const MOST_ITEMS = 1_000_000;

export const TOO_MANY_ITEMS = 'there are more than 1,000,000 items';

/** Of a file of items, and of all that a command lists. */
export const LARGEST_LIST_BYTES = 256 * 1024 * 1024;
