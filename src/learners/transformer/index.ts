/** @file Everything that the transformer learner exports. */

export { hasRuntime } from './runtime.ts';
export { readSafetensors, writeSafetensors } from './safetensors.ts';
export { Transformer, type TransformerOptions } from './transformer.ts';
export { learnVocabulary, Vocabulary } from './vocabulary.ts';
