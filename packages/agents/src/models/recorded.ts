/** @file Passes every call and its result to a sink. If recording fails, the call fails, because no call may go unrecorded. */

import { type Model, type ModelCall, modelFacts, type Sampling, sentenceOf } from '@ludus-agents/kernel/internal/core/index';

/** The result of one call: its request, and the answer or the error message. */
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
