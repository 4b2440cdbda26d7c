import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Browser, chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import type { BuiltCli, CliProject } from './cli-project.js';

const STARTED_WITHIN_MS = 30_000;

/** The built `pawl ui`, and pages that are opened with its link. */
export class Dashboard {
  readonly url: string;
  /** What went wrong in any of its pages: errors on the console, also those of the content policy, and dialogs. */
  readonly complaints: string[] = [];
  readonly #process: ChildProcess;
  readonly #browser: Browser;

  private constructor(url: string, process: ChildProcess, browser: Browser) {
    this.url = url;
    this.#process = process;
    this.#browser = browser;
  }

  static async start(cli: BuiltCli, project: CliProject, browser: Browser, ...words: string[]): Promise<Dashboard> {
    const child = spawn(process.execPath, [cli.bin, 'ui', '--no-open', '--json', ...words], {
      cwd: project.path,
      env: project.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.on('data', (bytes: Buffer) => said.push(bytes.toString()));
    const signal = AbortSignal.timeout(STARTED_WITHIN_MS);
    const lines = createInterface({ input: child.stdout });
    const [line] = (await Promise.race([
      once(lines, 'line', { signal }),
      once(child, 'exit', { signal }).then(() => [`{"url":"pawl ui ended: ${said.join('')}"}`]),
    ])) as [string];
    return new Dashboard((JSON.parse(line) as { url: string }).url, child, browser);
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** A page of a browser that has the link. */
  async open(path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('dialog', (dialog) => {
      this.complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(this.url);
    if (path !== '/') await page.goto(`${this.origin}${path}`);
    return page;
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGTERM');
    await once(this.#process, 'exit');
  }
}

export function launchChromium(executablePath: string): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args });
}
