/**
 * @file `ludus-agents/testing`: conversations of a bot with a simulated customer in any test runner, and the conformance kit for environments, exact
 * replay, transcripts, and models and stores without external dependencies.
 */

import '@ludus-agents/servers/internal/kinds';

export { fakeModel } from '@ludus-agents/agents/internal/models/fake';
export {
  type SimulatedCustomer,
  type SimulatedFault,
  type SimulatedRun,
  type SimulateOptions,
  simulate,
} from '@ludus-agents/desk/internal/simulate';
export { assertPasses, type MatcherResult, matchers } from '@ludus-agents/desk/internal/test-runner';
export { check, type Problem, playthrough } from '@ludus-agents/kernel/internal/engine/check';
export { replay } from '@ludus-agents/kernel/internal/engine/replay';
export { transcript } from '@ludus-agents/kernel/internal/engine/transcript';
export { memoryStore } from '@ludus-agents/store/internal/open-store';
