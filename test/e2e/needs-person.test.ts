import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => (cli = new BuiltCli('needs-person')));
afterAll(() => cli.remove());

const QUESTION = 'Should I use Postgres or SQLite? I need your decision before I go on.';

function project(agent: string, stop = 'failure: [needs_person]'): CliProject {
  const made = new CliProject(cli, { agent });
  made.env['PAWL_TRUST'] = '1';
  made.write(
    'pawl.yaml',
    `agent: { name: command, command: [./agent.sh] }
prompt: Store the orders
iteration_delay: 0
stop:
  ${stop}
  limits: [{ max_iterations: 4 }]
notify: { command: 'printf "%s\\n" "$PAWL_TEXT" >> "$HOME/notified"' }
`,
  );
  return made;
}

const recordOf = ({ path }: CliProject) => {
  const runs = join(path, '.ralph', 'runs');
  return readFileSync(join(runs, readdirSync(runs)[0] ?? '', 'journal.jsonl'), 'utf8');
};

describe('an agent that asks a person', () => {
  it('ends its run at the second request, with the question in every view', async () => {
    const asking = project(`echo 'I compared both. ${QUESTION}'`);
    const run = await asking.pawl('run', '--quiet');
    expect(run.status).toBe(5);
    const inLine = (text: string) => text.replace(/\s+/g, ' ');
    expect(inLine(run.stdout)).toContain(`Needs you after 2 iterations: "${QUESTION}"`);
    expect(inLine(run.stdout)).toMatch(/pawl resume \w+ --steer '<your answer>'/);
    for (const view of ['list', 'status', 'explain']) {
      const { stdout } = await asking.pawl(view);
      expect(inLine(stdout), view).toContain('Should I use Postgres or SQLite?');
    }
    const notified = join(asking.home, 'notified');
    expect(existsSync(notified) && readFileSync(notified, 'utf8')).toContain(QUESTION);
    const { stdout } = await asking.pawl('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ question: QUESTION });
  });

  it('is found from the command line alone, and keeps no secret on record', async () => {
    const asking = project(
      `echo "I cannot continue: the key $STRIPE_KEY is refused. Please provide another one."`,
      'failure: []',
    );
    asking.env['STRIPE_KEY'] = 'sk_live_0123456789abcdefghij';
    const { status, stdout } = await asking.pawl('run', '--quiet', '--give-up', 'needs_person');
    expect([status, stdout.includes('I cannot continue')]).toEqual([5, true]);
    expect(recordOf(asking)).toContain(
      '"request":{"kind":"request","sentence":"I cannot continue: the key [STRIPE_KEY] is refused.',
    );
    expect(recordOf(asking)).not.toContain('sk_live_0123456789');
  });

  it('is not found in what its tools print, and an offer after the work does not end the run', async () => {
    const tool = JSON.stringify({ pawl: 'tool-result', id: '1', output: QUESTION });
    const said = JSON.stringify({ pawl: 'text', text: 'All tests pass. Would you like me to also add a benchmark?' });
    const done = project(`echo '${said}'\necho '${tool}'`);
    const { status } = await done.pawl('run', '--quiet');
    expect(status).toBe(3);
    expect(recordOf(done)).not.toContain('"kind":"request"');
  });
});
