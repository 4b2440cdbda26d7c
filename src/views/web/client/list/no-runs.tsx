import { CopyCommand } from '../parts/copy-command.js';

/** Before anything has run. */
export function NoRuns() {
  return (
    <section className="notice">
      <h2>Nothing has run yet</h2>
      <p>A run that is started in a terminal appears here at once:</p>
      <CopyCommand command="pawl run -p 'Make the tests pass.' -a claude --tests 'npm test' --max-cost 5" />
      <p>To find out what a project needs, and to write its config:</p>
      <CopyCommand command="pawl init" />
    </section>
  );
}
