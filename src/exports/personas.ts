/** @file `ludus/personas`: persona documents in and out of other formats, populations, scenes, who knew what. */

import '../workspace/all-kinds.ts';

export { leaks, ledger } from '../agents/mind/ledger.ts';
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
} from '../personas/index.ts';
export { readAnswers } from '../surveys/answers.ts';
export { planSurvey, type SurveyPlan, type SurveyRequest } from '../surveys/plan.ts';
export { rectify } from '../surveys/rectify.ts';
