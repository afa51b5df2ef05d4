/**
 * @file Measures the walk of a training from its command to the gradient: which files are on the stack when the transformer computes.
 *
 *     node --import ./scripts/training-walk.mjs packages/ludus-agents/bin/ludus.js train kuhn-lm --games 64 --name walk
 *
 * Loaded before a command, it watches every run of an ONNX session and prints each distinct stack when the process ends, outermost file first.
 */

import { createRequire } from 'node:module';

Error.stackTraceLimit = 80;
const { InferenceSession } = createRequire(import.meta.url)('onnxruntime-node');
const create = InferenceSession.create;
const walks = new Set();

InferenceSession.create = async (...args) => {
  const session = await create.apply(InferenceSession, args);
  const run = session.run;
  session.run = (...values) => {
    const lines = String(new Error('walk').stack).split('\n').slice(2);
    const files = lines.flatMap((line) => /([\w-]+\/(?:dist|src)\/.*?)\.[jt]s:/.exec(line)?.[1] ?? []).reverse();
    walks.add(files.filter((file, i) => file !== files[i - 1]).join(' → '));
    return run.apply(session, values);
  };
  return session;
};

process.on('exit', () => {
  for (const walk of [...walks].sort((a, b) => b.length - a.length)) {
    const files = walk.split(' → ');
    process.stderr.write(`${new Set(files).size} files, ${files.length - new Set(files).size} returns: ${walk}\n`);
  }
});
