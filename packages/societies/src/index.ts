/** @file The public entry. Asks and observes simulated populations: surveys, experiments, networks and towns. */

import './kinds.ts';

export { readAnswers } from './surveys/answers.ts';
export { planSurvey, type SurveyContents, type SurveyPlan } from './surveys/plan.ts';
export { rectify } from './surveys/rectify.ts';
