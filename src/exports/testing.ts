/** @file `ludus/testing`: the conformance kit for environments, exact replay, transcripts, and models and stores that need nothing outside. */

import '../workspace/all-kinds.ts';

export { check, type Problem, playthrough } from '../engine/check.ts';
export { replay } from '../engine/replay.ts';
export { transcript } from '../engine/transcript.ts';
export { fakeModel } from '../models/fake.ts';
export { memoryStore } from '../store/index.ts';
