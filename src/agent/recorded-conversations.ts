import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelMessage } from 'ai';
import { FileSystemError } from '../model/errors.js';
import type { Json } from '../model/json.js';
import type { Observation } from '../model/observation.js';
import type { EventOf, RunEvent } from '../model/run-event.js';
import { isUnstarted } from '../model/work.js';
import { Conversation, type KeptMessage } from './conversation.js';
import { fromJson } from './message-json.js';

export interface RecordPlace {
  readonly read: () => AsyncIterable<RunEvent>;
  /** The run folder; undefined for a journal without one. */
  readonly folder?: string | undefined;
}

/** All conversations of a run, as far as they are on record. */
export class RecordedConversations {
  readonly #bySession = new Map<string, Conversation>();
  readonly #kept: KeptMessage[] = [];
  /** Model calls whose usage is on record. */
  readonly #reported = new Set<string>();
  /** Since the last message an iteration has come to its end: what the model did was inspected. */
  isSettled = false;
  /** An earlier process was about to sum a conversation up. */
  wasHandingOver = false;
  /** What a goal had to say to the agent when an earlier process inspected it last. */
  #goalWords: string | undefined;

  /** Every message, oldest first. */
  get kept(): readonly KeptMessage[] {
    return this.#kept;
  }

  open(session: string): Conversation {
    const known = this.#bySession.get(session);
    if (known !== undefined) return known;
    const conversation = new Conversation(session);
    this.#bySession.set(session, conversation);
    return conversation;
  }

  add(kept: KeptMessage): void {
    this.open(kept.session).add(kept);
    this.#kept.push(kept);
  }

  /** Once: anyone who is told need not be told again. */
  takeGoalWords(): string | undefined {
    const words = this.#goalWords;
    this.#goalWords = undefined;
    return words;
  }

  /** Answers whose usage was never recorded. */
  get unreported(): readonly KeptMessage[] {
    return this.#kept.filter(({ call }) => call !== undefined && !this.#reported.has(call.id));
  }

  markReported(callId: string): void {
    this.#reported.add(callId);
  }

  /** Reads what an earlier process has recorded. Rejects when a message cannot be read. */
  async load(place: RecordPlace): Promise<void> {
    for await (const event of place.read()) {
      if (event.type === 'message-recorded') {
        this.add(await keptOf(event, place));
        this.isSettled = false;
      }
      if (event.type === 'usage-reported' && event.id !== undefined) this.markReported(event.id);
      if (event.type === 'iteration-ended') this.#iterationEnded(event);
      if (event.type === 'reboot-started') this.wasHandingOver = true;
      if (event.type === 'reboot-completed') this.wasHandingOver = false;
    }
  }

  #iterationEnded(event: EventOf<'iteration-ended'>): void {
    if (isUnstarted(event) || event.interruption === 'crash') return;
    this.isSettled = true;
    this.#goalWords = feedbackIn(event.observation);
  }
}

function feedbackIn({ probes }: Observation): string | undefined {
  return Object.values(probes ?? {}).find(({ met, feedback }) => met === false && feedback !== undefined)?.feedback;
}

async function keptOf(event: EventOf<'message-recorded'>, place: RecordPlace): Promise<KeptMessage> {
  const { session, index, call, purpose } = event;
  const json = event.file === undefined ? event.message : await readKept(event.file, place);
  return { session, index, message: fromJson(json) as ModelMessage, call, purpose };
}

async function readKept(
  file: NonNullable<EventOf<'message-recorded'>['file']>,
  { folder }: RecordPlace,
): Promise<Json> {
  const path = join(folder ?? '', file.path);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new FileSystemError('read the message', path, error);
  });
  if (createHash('sha256').update(text).digest('hex') !== file.sha256) {
    throw new FileSystemError('read the message', path, 'it is not what was recorded');
  }
  return JSON.parse(text) as Json;
}
