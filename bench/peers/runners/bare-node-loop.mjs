import { spawn } from 'node:child_process';
import { once } from 'node:events';

const iterations = Number(process.argv[2]);
for (let iteration = 0; iteration < iterations; iteration++) {
  const child = spawn('claude', ['-p'], { stdio: 'pipe' });
  child.stdout.resume();
  child.stderr.resume();
  child.stdin.on('error', () => {}).end('go');
  await once(child, 'close');
}
