/** What a run counts. The steps of a pipeline are attempts. */
export type Unit = 'iteration' | 'attempt';

export function unitOf({ pipeline }: { readonly pipeline?: unknown }): Unit {
  return pipeline === undefined ? 'iteration' : 'attempt';
}
