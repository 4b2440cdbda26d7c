import { type FailureModel, predict, predictionText } from '../failure-model.js';
import { percent } from '../figures.js';
import { met, notMet, unknown } from '../judging/answer.js';
import { field } from '../fields.js';
import { defineCondition } from '../judging/define-condition.js';
import { measure } from '../judging/measure.js';

/** Gives up when a model, trained on earlier runs, says that the run is this likely to end without its goal. */
export const likelyToFail = defineCondition({
  type: 'likely_to_fail',
  about: 'a model that pawl tune trained on earlier runs says that this one is at least this likely to fail',
  fields: { model: field.model, above: field.rate },
  make: (model: FailureModel, above: number) => ({ model, above }),
  class: 'failure',
  // After everything that says what exactly went wrong.
  priority: 10,
  where: 'loop',
  live: true,
  judge: ({ model, above }, facts) => {
    const prediction = predict(model, facts);
    if ('missing' in prediction)
      return unknown(`the likelihood of failure is unknown: ${prediction.missing} was not recorded`);
    const { probability } = prediction;
    const sentence = `${predictionText(prediction)}, ${percent(above)} allowed`;
    return probability >= above ? met(sentence) : notMet(sentence, above === 0 ? 0 : probability / above);
  },
  describe: ({ model, above }) =>
    `when it is at least ${percent(above)} likely to fail, according to a model of ${model.trained.runs} earlier runs`,
  measure: ({ model, above }, facts) => {
    const prediction = predict(model, facts);
    return measure('missing' in prediction ? undefined : prediction.probability, above, 'part');
  },
  takes: ({ above }) => `a likelihood of ${percent(above)} that it fails`,
});
