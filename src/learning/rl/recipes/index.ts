/** @file All recipes by name: those that prove something first, then the published methods. */

import { Fault } from '../../../core/index.ts';
import type { Recipe } from '../recipe.ts';
import { agentZero, maeRecipe, pae, pasoDoble, pasoDobleOffline, starling, starlingFresh, teacherTabular } from './curricula.ts';
import {
  chessTabular,
  debateTabular,
  designTabular,
  kitchenTabular,
  mazeTabular,
  mentalArena,
  minesweeperTabular,
  nationsTabular,
  pathfindingTabular,
  skirmishTabular,
  sokobanTabular,
  supportTabular,
  volleyballTabular,
  wordleTabular,
} from './environments.ts';
import {
  arpoGui,
  chord,
  dapo,
  dart,
  drGrpo,
  drMas,
  epo,
  flowGrpo,
  grpo,
  grpoRoc,
  muaRl,
  rapo,
  scalingInter,
  spear,
  starpoS,
} from './group-relative.ts';
import { agentRefine, agentRlvr, ampo, bepa, earlyExperience, rise, rpd, spc, step } from './guided.ts';
import { agentEvol, bfsProver, filteredCloning, imitate, implicitQ, mcReturns } from './kept.ts';
import { kuhnLm, manyLm, privacyGuardLm, serviceDeskLm } from './language.ts';
import { kuhnLeague, marshal, rlhg, selfRedTeam, spiral } from './league.ts';
import { dronesGaussian, motorGaussian } from './numbers.ts';
import { loop, ppoTokens, ppoTurns, ragenTwoLevel, reinforcePlusPlus, reinforcePlusPlusBaseline, rloo, webrl } from './policy-gradient.ts';
import { apcDpo, lmDpo, lmKto, mDpo, mKto, spo, sppo } from './preference.ts';
import { aiSearchPlanner, fathom, igpoOwn, mansa, mobileR1, rlsp, uiTars2 } from './rewards.ts';
import { clam, marft, mra, skillController } from './roles.ts';
import {
  bestResponse,
  blocksTabular,
  clinicTabular,
  dilemmaTabular,
  frozenLakeTabular,
  hanabiTabular,
  kuhnDrGrpo,
  kuhnGrpoStd,
  kuhnRae,
  kuhnRaePlain,
  kuhnTabular,
  questTabular,
  recommenderTabular,
  rulesTabular,
  sitesTabular,
  ticTacToeTabular,
  tutorTabular,
  twentyQuestionsTabular,
} from './tabular.ts';
import { aepo, archer, arpo, cm2, gigpo, igpo } from './turn-level.ts';
import { mem1, relic, supo, verlTool } from './views.ts';

/** Recipes of our own, each with an environment it is good on. */
export const proofs: readonly Recipe[] = [
  kuhnTabular,
  kuhnRae,
  kuhnRaePlain,
  kuhnDrGrpo,
  kuhnGrpoStd,
  ticTacToeTabular,
  hanabiTabular,
  dilemmaTabular,
  frozenLakeTabular,
  mazeTabular,
  minesweeperTabular,
  sokobanTabular,
  pathfindingTabular,
  skirmishTabular,
  volleyballTabular,
  wordleTabular,
  supportTabular,
  mentalArena,
  chessTabular,
  kitchenTabular,
  nationsTabular,
  debateTabular,
  designTabular,
  rulesTabular,
  blocksTabular,
  sitesTabular,
  questTabular,
  clinicTabular,
  recommenderTabular,
  tutorTabular,
  twentyQuestionsTabular,
  dronesGaussian,
  motorGaussian,
  teacherTabular,
  starling,
  starlingFresh,
  kuhnLeague,
  kuhnLm,
  manyLm,
  privacyGuardLm,
  serviceDeskLm,
  lmDpo,
  lmKto,
  bestResponse,
];

/** Published methods, set up for Kuhn poker by default. */
export const published: readonly Recipe[] = [
  grpo,
  drGrpo,
  rloo,
  reinforcePlusPlus,
  reinforcePlusPlusBaseline,
  ppoTurns,
  ppoTokens,
  ragenTwoLevel,
  loop,
  dapo,
  dart,
  spiral,
  marshal,
  drMas,
  archer,
  flowGrpo,
  gigpo,
  starpoS,
  igpo,
  epo,
  arpo,
  aepo,
  spear,
  arpoGui,
  rapo,
  bepa,
  chord,
  grpoRoc,
  scalingInter,
  webrl,
  muaRl,
  cm2,
  mDpo,
  mKto,
  sppo,
  spo,
  apcDpo,
  step,
  rlhg,
  selfRedTeam,
  supo,
  mem1,
  verlTool,
  relic,
  fathom,
  igpoOwn,
  rlsp,
  mobileR1,
  uiTars2,
  mansa,
  marft,
  clam,
  mra,
  skillController,
  imitate,
  filteredCloning,
  mcReturns,
  implicitQ,
  agentEvol,
  bfsProver,
  pae,
  agentZero,
  pasoDoble,
  pasoDobleOffline,
  maeRecipe,
  aiSearchPlanner,
  agentRlvr,
  ampo,
  rpd,
  agentRefine,
  rise,
  earlyExperience,
  spc,
];

/** The recipes that come along. */
export const recipes: readonly Recipe[] = [...proofs, ...published];

export function builtInRecipe(name: string): Recipe {
  const found = recipes.find((one) => one.name === name);
  if (found === undefined)
    throw new Fault('input', `There is no recipe "${name}"; there are ${recipes.map((one) => one.name).join(', ')}.`);
  return found;
}
