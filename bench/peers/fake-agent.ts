import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the scripted agent does between reading its prompt and its result. */
export type Deed =
  | { readonly kind: 'work' }
  | { readonly kind: 'look' }
  | { readonly kind: 'linger'; readonly seconds: number }
  | { readonly kind: 'fail' }
  | { readonly kind: 'print'; readonly bytes: number }
  | { readonly kind: 'spawn-and-hang' }
  | { readonly kind: 'hang-at'; readonly start: number; readonly seconds: number };

const TEXT = 'a line of output as agents print them, neither short nor long';
const said = (text: string) =>
  `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"${text}"}]}}`;
const INIT = '{"type":"system","subtype":"init","session_id":"s1","model":"scripted","tools":[]}';
const USAGE = '"session_id":"s1","total_cost_usd":0.01,"usage":{"input_tokens":10,"output_tokens":5}';

function result(deed: Deed): string {
  if (deed.kind === 'fail') return `{"type":"result","subtype":"error_during_execution","is_error":true,${USAGE}}`;
  return `{"type":"result","subtype":"success","is_error":false,"duration_ms":1,"result":"worked",${USAGE}}`;
}

/** One start hangs; every later one looks whether that agent is still there, without a process of its own. */
function hangAt(start: number, seconds: number, folder: string): string {
  return [
    `mapfile -t seen < '${folder}/starts'`,
    `[ \${#seen[@]} = ${start} ] && sleep ${seconds}`,
    `if [ \${#seen[@]} -gt ${start} ] && read -r -d '' word < "/proc/\${seen[${start - 1}]##* }/cmdline"; then`,
    `  echo "$EPOCHREALTIME $$" >> '${folder}/overlaps'`,
    'fi 2> /dev/null',
    'echo "$EPOCHREALTIME" > work.txt',
  ].join('\n');
}

function script(deed: Deed, folder: string): string {
  switch (deed.kind) {
    case 'work':
      return 'echo "$EPOCHREALTIME" > work.txt';
    case 'look':
      return '';
    case 'linger':
      return `sleep ${deed.seconds}`;
    case 'fail':
      return 'echo "something broke" >&2';
    case 'print':
      return `yes '${said(TEXT)}' | head -c ${deed.bytes}; echo`;
    case 'spawn-and-hang':
      return `'${folder}/bin/child' & setsid '${folder}/bin/grandchild' & sleep 600`;
    case 'hang-at':
      return hangAt(deed.start, deed.seconds, folder);
    default:
      return deed satisfies never;
  }
}

/** Two programs that ignore every polite signal and keep the agent's output open. */
const DEAF = `#!/bin/bash\ntrap '' TERM INT HUP QUIT\nfor beat in {1..600}; do sleep 1; done\n`;

/**
 * Puts a `claude` first on the path which speaks stream-json, notes when it started and ended, and does one deed. All
 * runners get the same program.
 */
export function writeFakeAgent(folder: string, deed: Deed): void {
  const lines = [
    '#!/bin/bash',
    'if [ "$1" = --version ]; then echo "2.1.0 (Claude Code)"; exit 0; fi',
    `echo "$EPOCHREALTIME $$" >> '${folder}/starts'`,
    'cat > /dev/null',
    `echo '${INIT}'`,
    `echo '${said('working')}'`,
    script(deed, folder),
    `echo '${result(deed)}'`,
    `echo "$EPOCHREALTIME $$" >> '${folder}/ends'`,
    deed.kind === 'fail' ? 'exit 1' : 'exit 0',
  ];
  const programs = { claude: `${lines.join('\n')}\n`, child: DEAF, grandchild: DEAF };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), text);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
}
