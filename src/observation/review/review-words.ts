import type { AgentEvent } from '../../model/agent-event.js';
import type { ReviewAnswer, ReviewOpinion } from '../../model/review.js';
import { readAnswer } from './read-answer.js';

const MOST_CHARACTERS = 64 * 1024;

/** What a reviewer says in one review. Plain output is one message, however it is printed. */
export class ReviewWords {
  readonly #answers = new Set<ReviewAnswer>();
  #printed = '';
  #isCut = false;
  #last: string | undefined;
  #result: string | undefined;

  add(event: AgentEvent): void {
    if (event.kind === 'output') this.#print(event.text);
    if (event.kind === 'text') this.#last = this.#say(event.text);
    if (event.kind === 'result' && event.outcome === 'success' && (event.text ?? '').trim() !== '')
      this.#result = this.#say(event.text ?? '');
  }

  /** Its result, or else the last that it said. Half of an answer is none, nor are two different ones. */
  read(): ReviewOpinion | { readonly problem: string } {
    const text = this.#result ?? this.#last ?? this.#printed;
    if (text.length > MOST_CHARACTERS || (this.#isCut && text === this.#printed))
      return { problem: `it said more than ${MOST_CHARACTERS / 1024} KB` };
    const opinion = readAnswer(text);
    if ('problem' in opinion) return opinion;
    const answers = [...this.#answers.add(opinion.answer)];
    return answers.length === 1 ? opinion : { problem: `it gave different answers: ${answers.join(', ')}` };
  }

  #print(line: string): void {
    // What was said in a message before counts no longer: this is the last that it says.
    if (line.trim() !== '') this.#last = undefined;
    if (this.#printed.length + line.length <= MOST_CHARACTERS) this.#printed += `${line}\n`;
    else this.#isCut = true;
  }

  #say(text: string): string {
    const opinion = readAnswer(text);
    if ('answer' in opinion) this.#answers.add(opinion.answer);
    return text;
  }
}
