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
  {
    what: 'What the agent is shown of a failing command begins with "Exit code 1"',
    why: 'Claude Code 2.1 does so. Without it, Pawl found missing programs and logins that it did not find in real sessions',
  },
];
