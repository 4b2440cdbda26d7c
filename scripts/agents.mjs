import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from './project.mjs';

const FOLDER = inProject('src', 'agents');
const LIST = join(FOLDER, 'index.ts');

const before = existsSync(LIST) ? readFileSync(LIST, 'utf8') : '';
const listed = [...before.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => name);
const text = listOf(agentFiles());
if (!process.argv.includes('--check')) writeFileSync(LIST, text);
else if (text !== before) {
  process.stderr.write(`${LIST} is not current: npm run agents\n`);
  process.exitCode = 1;
}

/** Each agent is a file or a folder with an index: the one that exports a KnownAgent. */
function agentFiles() {
  return readdirSync(FOLDER, { withFileTypes: true }).flatMap((entry) => {
    const path = entry.isDirectory() ? `${entry.name}/index.ts` : entry.name;
    if (path === 'index.ts' || !existsSync(join(FOLDER, path))) return [];
    const name = /^export const (\w+) = \{$[\s\S]*?^\} satisfies KnownAgent;$/m.exec(
      readFileSync(join(FOLDER, path), 'utf8'),
    )?.[1];
    return name === undefined ? [] : [{ name, path }];
  });
}

/** An agent that is listed keeps its place: `pawl init` proposes the first one that is installed. New ones go to the end. */
function listOf(files) {
  const byPath = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const place = ({ name }) => (listed.includes(name) ? listed.indexOf(name) : listed.length);
  const inOrder = byPath.toSorted((a, b) => place(a) - place(b));
  return `// Made by \`npm run agents\` from the other files of this folder. Only the order is yours to change.
${byPath.map(({ name, path }) => `import { ${name} } from './${path.replace(/ts$/, 'js')}';`).join('\n')}
import type { KnownAgent } from './known-agent.js';

/** Every agent CLI that Pawl knows, in the order in which \`pawl init\` offers them. The first is the default. */
export const AGENTS: readonly [KnownAgent, ...KnownAgent[]] = [
${inOrder.map(({ name }) => `  ${name},`).join('\n')}
];
`;
}
