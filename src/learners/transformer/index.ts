/** @file The door of the transformer learner. */

export { hasRuntime } from './runtime.ts';
export { Transformer } from './transformer.ts';
export { learnVocabulary } from './vocabulary.ts';
