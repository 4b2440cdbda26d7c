import { feedbackValues, NOT_DONE_YET } from '../iteration/feedback.js';
import type { PromptValues } from '../iteration/render-prompt.js';
import type { RunState } from '../model/run-state.js';
import { whatIsLeft } from '../stop/what-is-left.js';

/** What the prompt of the next iteration says of the run so far. A goal that the feedback names is not named twice. */
export function promptValues(state: RunState, iteration: number): PromptValues {
  const values = feedbackValues(state, iteration);
  const { limits, goals } = whatIsLeft(state, iteration);
  const isNamed = values.feedback.includes(NOT_DONE_YET);
  const left = isNamed || goals === '' ? limits : `${limits} ${goals}`;
  const goal = state.spec?.review?.goal;
  return {
    ...values,
    left: goal === undefined ? left : `${left}\n\nA reviewer judges whether this goal is reached: ${goal}`,
  };
}
