/** @file Everything that the transformer learner exports. */

export { hasRuntime } from './runtime.ts';
export { chatText, Transformer } from './transformer.ts';
export { learnVocabulary } from './vocabulary.ts';
