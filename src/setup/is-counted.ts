import { asRecord, type ProjectFiles } from './project-files.js';

/** Runners whose output Pawl counts, and the words of TAP. */
const COUNTED =
  /\b(?:vitest|jest|mocha|pytest|py\.test|unittest|ctest|phpunit|rspec|nextest|react-scripts test|bats|prove|tap|tox|nox)\b|\bnode\b.* --test\b|\btsx\b.* --test\b|\b(?:go|cargo|deno|bun|dotnet|hatch) test\b|\bmanage\.py test\b|\bnot ok\b/;
/** Scripts of other packages: what they run is not looked up. */
const ELSEWHERE =
  /--workspaces\b|\bworkspaces? (?:foreach|run)\b|\b(?:pnpm|yarn) (?:-r|--recursive)\b|--filter\b|\b(?:nx|turbo|lerna)\b/;
const MOST_STEPS = 20;

/**
 * Whether the tests behind a command can be counted, as far as the files of the project show: the command itself, the scripts and
 * recipes that it leads to, and shell scripts that these start. Executes nothing.
 */
export function isCounted(command: string, files: ProjectFiles): boolean {
  const seen = new Set<string>();
  const open = [command];
  for (let text = open.pop(); text !== undefined && seen.size < MOST_STEPS; text = open.pop()) {
    if (seen.has(text)) continue;
    seen.add(text);
    if (COUNTED.test(text) || ELSEWHERE.test(text)) return true;
    open.push(...scriptsIn(text, files), ...recipesIn(text, files), ...filesIn(text, files));
  }
  return false;
}

/** `npm test`, `yarn run test:ci`, `composer test`, `deno task test`. */
function scriptsIn(text: string, files: ProjectFiles): readonly string[] {
  const calls = text.matchAll(/\b(npm|pnpm|yarn|bun|composer|deno)(?: run| task| run-script)? ([\w:.-]+)/g);
  return [...calls].flatMap(([, manager = '', name = '']) => {
    const path = manager === 'composer' ? 'composer.json' : manager === 'deno' ? 'deno.json' : 'package.json';
    const manifest = files.json(path);
    const script: unknown = asRecord(manifest?.[manager === 'deno' ? 'tasks' : 'scripts'])?.[
      name === 't' ? 'test' : name
    ];
    return (Array.isArray(script) ? script : [script]).filter((one) => typeof one === 'string');
  });
}

/** All of a Makefile: a target leads to others. */
function recipesIn(text: string, files: ProjectFiles): readonly string[] {
  if (!/\bg?make\b|\$\(MAKE\)/.test(text)) return [];
  return ['GNUmakefile', 'makefile', 'Makefile'].flatMap((name) => files.text(name) ?? []);
}

/** Shell scripts of the project. */
function filesIn(text: string, files: ProjectFiles): readonly string[] {
  const paths = text.matchAll(/(?:^|[\s"'@])(?:\.\/)?((?:[\w-]+\/)*[\w.-]+\.(?:sh|bash))\b/g);
  return [...paths].flatMap(([, path = '']) => files.text(path) ?? []);
}
