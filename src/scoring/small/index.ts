/** @file Everything that the small models export. */

export { type Apc, type ApcRow, apc, apcScorer, type SmallModels } from './apc.ts';
export { lexicalEmbedder, lexicalNli } from './lexical.ts';
export { type OnnxOptions, onnxEmbedder, onnxNli } from './onnx.ts';
export { relevanceScorer } from './relevance.ts';
export * from './small.ts';
