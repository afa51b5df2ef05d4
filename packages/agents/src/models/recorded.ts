/** @file Hands every call to a sink, with what came of it. A call whose record cannot be kept fails: what must be recorded does not happen unrecorded. */

import { type Model, type ModelCall, modelFacts, type Sampling, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** What came of one call: what it was asked with, and the answer or the sentence of its failure. */
export interface CallRecord {
  readonly model: string;
  readonly prompt: ModelCall['prompt'];
  readonly sampling: Sampling;
  readonly call?: ModelCall;
  readonly failure?: string;
}

export type Sink = (record: CallRecord) => void | Promise<void>;

export function recorded(model: Model, sink: Sink): Model {
  return {
    ...modelFacts(model),
    async complete(prompt, sampling, signal, onText) {
      const request = { model: model.id, prompt, sampling };
      let call: ModelCall;
      try {
        call = await model.complete(prompt, sampling, signal, onText);
      } catch (thrown) {
        await sink({ ...request, failure: sentenceOf(thrown) });
        throw thrown;
      }
      await sink({ ...request, call });
      return call;
    },
  };
}
