/** A file that the index knows makes git look into a folder with a repository of its own; it is gone with the next look. */
export const NESTED_PLACEHOLDER = '.pawl-placeholder';

/** Each look goes one nested repository deeper. */
export const MOST_NESTED = 50;

export const TOO_DEEP = `repositories are nested more than ${MOST_NESTED} deep`;
