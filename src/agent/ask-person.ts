import { jsonSchema, type Tool, tool } from 'ai';
import { PawlError } from '../model/errors.js';

/** By this an agent knows the tool: it answers it itself. */
const ASKS = Symbol('asks a person');

export interface AskPersonOptions {
  /** When the model is to ask. */
  readonly description?: string | undefined;
}

export interface Question {
  readonly question: string;
  readonly choices?: readonly string[] | undefined;
}

const DESCRIPTION =
  'Asks the person who is in charge of this run a question and waits for the answer. Use it only when you cannot continue without it.';

/**
 * A tool by which the model asks a person. The run waits until someone answers: `agent.answer(text)`, or
 * `pawl answer RUN TEXT` for a run in a folder. After a crash the question is asked again.
 *
 * @example
 * ```ts
 * import { askPerson, createDeepFactorAgent } from 'pawl/agent';
 *
 * const agent = createDeepFactorAgent({ model, tools: { ask: askPerson() } });
 * agent.subscribe((event) => {
 *   if (event.type === 'waiting-started' && event.for === 'answer') void agent.answer('Use the blue one.');
 * });
 * ```
 */
export function askPerson({ description = DESCRIPTION }: AskPersonOptions = {}): Tool<Question, string> {
  const asking = tool({
    description,
    inputSchema: jsonSchema<Question>({
      type: 'object',
      properties: {
        question: { type: 'string', description: 'One question, with all that is needed to answer it.' },
        choices: {
          type: 'array',
          items: { type: 'string' },
          description: 'Answers to choose from, if there are a few.',
        },
      },
      required: ['question'],
      additionalProperties: false,
    }),
    execute: (): string => {
      throw new PawlError('InvalidState', 'askPerson() works only in an agent of createDeepFactorAgent');
    },
  });
  return Object.assign(asking, { [ASKS]: true });
}

export function asksPerson(asking: object | undefined): boolean {
  return asking !== undefined && ASKS in asking;
}

/** The question of a call, whatever the model made of it. */
export function questionOf(input: unknown): Question {
  const given = typeof input === 'object' && input !== null ? input : {};
  const { question, choices } = given as { readonly question?: unknown; readonly choices?: unknown };
  const asked = typeof question === 'string' && question !== '' ? question : 'The agent asks for an answer.';
  const texts = Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string' && choice !== '') : [];
  return texts.length === 0 ? { question: asked } : { question: asked, choices: texts };
}
