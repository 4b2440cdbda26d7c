/** What was changed in the scripts after the first run, and why. Expectations are never changed. */
export const CHANGED: readonly { readonly what: string; readonly why: string }[] = [];
