/** @file `ludus-agents/personas`: imports and exports persona documents; populations, scenes, and the spread of knowledge. */

import '@ludus-agents/servers/internal/kinds';

export { leaks, ledger } from '@ludus-agents/agents/internal/mind/ledger';
export {
  customers,
  draftPersona,
  draftScene,
  exportPersona,
  gallery,
  importPersona,
  lexicalBigFive,
  merge,
  type Persona,
  parsePersona,
  readScene,
  type SceneDraft,
  samplePopulation,
  vary,
} from '@ludus-agents/agents/internal/personas/index';
export { readAnswers } from '@ludus-agents/societies/internal/surveys/answers';
export { planSurvey, type SurveyContents, type SurveyPlan } from '@ludus-agents/societies/internal/surveys/plan';
export { rectify } from '@ludus-agents/societies/internal/surveys/rectify';
