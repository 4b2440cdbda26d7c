import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { bareEnvironment } from '../bare-environment.js';
import type { Project, Scenario } from './scenarios/scenario.js';
import { MARKER } from './scenarios/steps.js';

const promptWith = (marker: string) => `Build what is missing, step by step.

When everything is done, make the file DONE.md if there are no tests, and print ${marker} at the very end.
`;

/** A project, a home and a scripted `claude` for one run of one runner. Nothing of the user's is in reach. */
export class Stage {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-stopping-')));
  readonly tree = join(this.folder, 'tree');
  readonly prompt: string;
  readonly hasTests: boolean;

  constructor({ calls, rest, billing, project }: Scenario, marker = MARKER) {
    this.prompt = promptWith(marker);
    this.hasTests = project.tests.length > 0;
    for (const name of ['bin', 'home', 'tmp', 'run', 'agent/calls', 'tree/src', 'tree/tests']) {
      mkdirSync(join(this.folder, name), { recursive: true, mode: 0o700 });
    }
    writeFileSync(
      join(this.folder, 'agent/script.json'),
      JSON.stringify({ calls, rest, billing }).replaceAll(MARKER, marker),
    );
    this.#writeAgent();
    this.#writeProject(project);
  }

  get environment(): NodeJS.ProcessEnv {
    const mark = { STOPPING_MARK: basename(this.folder) };
    return { ...bareEnvironment(this.folder), NO_COLOR: '1', PAWL_TRUST: '1', ...mark };
  }

  get ledgerPath(): string {
    return join(this.folder, 'agent/ledger.jsonl');
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.tree, path)), { recursive: true });
    writeFileSync(join(this.tree, path), text, { mode });
  }

  ignore(line: string): void {
    appendFileSync(join(this.tree, '.gitignore'), `${line}\n`);
  }

  git(...words: readonly string[]): void {
    const identity = ['-c', 'user.name=User', '-c', 'user.email=user@localhost'];
    const { status, stderr } = spawnSync('git', [...identity, ...words], { cwd: this.tree, env: this.environment });
    if (status !== 0) throw new Error(`git ${words.join(' ')}: ${stderr.toString()}`);
  }

  /** The last that the runner printed. */
  output(): string {
    const path = join(this.folder, 'output');
    return existsSync(path) ? readFileSync(path, 'utf8').slice(-20_000) : '';
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #writeAgent(): void {
    const program = resolve('bench/stopping/agent/scripted-claude.mjs');
    const words = [process.execPath, program, join(this.folder, 'agent')].map((word) => `'${word}'`).join(' ');
    writeFileSync(join(this.folder, 'bin/claude'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  }

  #writeProject(project: Project): void {
    this.write('PROMPT.md', this.prompt);
    this.write('src/features.txt', project.features.map((feature) => `${feature}\n`).join(''));
    for (const test of project.tests) this.write(`tests/${test}.test`, `${test}\n`);
    for (const [path, text] of Object.entries(project.files ?? {})) this.write(path, text);
    for (const line of project.ignored ?? []) this.ignore(line);
    if (this.hasTests) this.write('run-tests.sh', testsScript(project, join(this.folder, 'agent')), 0o755);
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('add', '--all');
    this.git('commit', '--quiet', '-m', 'The project');
  }
}

/** Prints TAP: a test passes when the feature that it names is there. With `src/broken.txt`, nothing builds. */
function testsScript({ flake, hasBrokenLinter = false, testsWrite }: Project, agentFolder: string): string {
  return `#!/bin/sh
${hasBrokenLinter ? "echo 'lint: src/old.txt: line is too long'; exit 1" : ''}
${flake === undefined ? 'liar=' : flakeScript(flake, agentFolder)}
${testsWrite === undefined ? '' : `mkdir -p "$(dirname ${testsWrite})" && echo "run $(date +%N) of $$" > ${testsWrite}`}
[ -e src/endless ] && sleep 600
if [ -e src/broken.txt ]; then cat src/broken.txt; exit 2; fi
n=0 red=0
for file in tests/*.test; do
  n=$((n + 1)) name=\${file#tests/} name=\${name%.test}
  read -r want < "$file"
  if [ "$name" = "$liar" ]; then word=$lie
  elif [ "$want" = skip ]; then echo "ok $n - $name # SKIP"; continue
  elif [ "$want" = true ] || grep -qx "$want" src/features.txt; then word=ok
  else word='not ok'
  fi
  [ "$word" = ok ] || red=1
  echo "$word $n - $name"
done
echo "1..$n"
exit $red
`;
}

function flakeScript({ test, afterCall, runs, says }: NonNullable<Project['flake']>, agentFolder: string): string {
  return `calls=$(ls '${agentFolder}/calls' | wc -l)
echo run >> '${agentFolder}/runs-'$calls
if [ "$calls" -eq ${afterCall} ] && [ $(wc -l < '${agentFolder}/runs-'$calls) -le ${runs} ]; then liar=${test} lie='${says}'; else liar=; fi`;
}
