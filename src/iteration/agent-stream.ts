import type { AgentAdapter, AgentEnvironment, Invocation, LineReader } from '../agents/adapter.js';
import type { AgentEvent } from '../model/agent-event.js';
import { NOTHING_SPENT } from '../model/usage.js';
import { ReportMerger } from './report-merger.js';
import { type SidecarTail, tailSidecar } from './tail-sidecar.js';

/** All that one invocation of an agent tells: its output, and the file beside it once its session is known. */
export class AgentStream {
  readonly #adapter: AgentAdapter;
  readonly #environment: AgentEnvironment;
  readonly #tell: (event: AgentEvent) => void;
  readonly #reader: LineReader;
  readonly #reports = new ReportMerger();
  readonly #startedAt = new Date().toISOString();
  #tail: SidecarTail | undefined;
  #hasUsage = false;
  #hasFailed = false;

  /** `tell` must not throw. */
  constructor(
    adapter: AgentAdapter,
    { env, session }: Pick<Invocation, 'env' | 'session'>,
    tell: (event: AgentEvent) => void,
  ) {
    this.#adapter = adapter;
    this.#environment = env;
    this.#tell = tell;
    this.#reader = adapter.reader?.({ now: () => new Date(), session }) ?? {
      read: (line) => adapter.parse(line),
      end: () => [],
    };
  }

  read(line: string, source: 'stdout' | 'stderr'): void {
    for (const event of source === 'stdout' ? this.#reader.read(line) : this.#readError(line)) this.#pass(event);
  }

  /** The process is gone: the rest of the file is read, and what was held back is told. */
  async end(): Promise<void> {
    for (const event of this.#reader.end()) this.#pass(event);
    const wasRecorded = (await this.#tail?.end()) ?? false;
    for (const event of this.#reports.end()) this.#tellOn(event);
    // Its own record has no request that was answered: it was refused, which is known to have used nothing.
    if (wasRecorded && this.#hasFailed && !this.#hasUsage) {
      this.#tell({ kind: 'usage', scope: 'turn', spend: NOTHING_SPENT });
    }
  }

  #readError(line: string): readonly AgentEvent[] {
    return this.#reader.readError?.(line) ?? this.#adapter.parseError?.(line) ?? [];
  }

  #pass(event: AgentEvent): void {
    if (event.kind === 'session') this.#follow(event.id);
    this.#passFrom(event, 'stream');
  }

  #passFrom(event: AgentEvent, source: 'stream' | 'file'): void {
    const told = this.#adapter.sidecar === undefined ? event : this.#reports.pass(event, source);
    if (told !== undefined) this.#tellOn(told);
  }

  #tellOn(event: AgentEvent): void {
    if (event.kind === 'usage') this.#hasUsage = true;
    if (event.kind === 'result') this.#hasFailed = event.outcome === 'error';
    this.#tell(event);
  }

  #follow(session: string): void {
    if (this.#tail !== undefined) return;
    const sidecar = this.#adapter.sidecar?.(session, { environment: this.#environment });
    if (sidecar === undefined) return;
    const onEvent = (event: AgentEvent): void => this.#passFrom(event, 'file');
    this.#tail = tailSidecar({ sidecar, since: this.#startedAt, onEvent });
  }
}
