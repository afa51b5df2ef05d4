/** @file The door of the transformer learner. */

export { hasRuntime } from './runtime.ts';
export { readSafetensors, writeSafetensors } from './safetensors.ts';
export { Transformer, type TransformerOptions } from './transformer.ts';
export { learnVocabulary, Vocabulary } from './vocabulary.ts';
