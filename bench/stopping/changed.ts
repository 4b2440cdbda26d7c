/** What was changed in the scripts and in Pawl after the first run, and why. Expectations are never changed. */
export const CHANGED: readonly { readonly what: string; readonly why: string }[] = [
  {
    what: 'The agents of the family "hanging" hang for ten minutes instead of one',
    why: 'one runner has a fixed pause between calls and is therefore watched for longer than a minute, so that the hang ended by itself and it seemed to have stopped it',
  },
  {
    what: 'Pawl, from 47 to 48 right',
    why: '`denied-always-watched` showed that with Claude Code a row of denials never grew: what came back from a denied call counted as an answer. That was a bug, and it is repaired',
  },
];
