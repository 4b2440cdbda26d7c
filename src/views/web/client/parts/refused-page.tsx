import { CopyCommand } from './copy-command.js';

/** What is shown to anyone who has no link, or an old one. */
export function RefusedPage() {
  return (
    <main className="notice">
      <h1>This page needs the link from pawl ui</h1>
      <p>
        The link that <code>pawl ui</code> prints lets this browser in until that command ends. It was restarted, or the
        page was opened without the link: open the link that it printed last, or start it again.
      </p>
      <CopyCommand command="pawl ui" />
    </main>
  );
}
