/** @file All recipes by name: those that prove something first, then the published methods. */

import { Fault } from '../../core/index.ts';
import type { Recipe } from '../recipe.ts';
import { aepo } from './aepo.ts';
import { apcDpo } from './apc-dpo.ts';
import { archer } from './archer.ts';
import { arpo } from './arpo.ts';
import { arpoGui } from './arpo-gui.ts';
import { bepa } from './bepa.ts';
import { chord } from './chord.ts';
import { clinicTabular } from './clinic-tabular.ts';
import { cm2 } from './cm2.ts';
import { dapo } from './dapo.ts';
import { dart } from './dart.ts';
import { dilemmaTabular } from './dilemma-tabular.ts';
import { drGrpo } from './dr-grpo.ts';
import { drMas } from './dr-mas.ts';
import { epo } from './epo.ts';
import { flowGrpo } from './flow-grpo.ts';
import { gigpo } from './gigpo.ts';
import { grpo } from './grpo.ts';
import { grpoRoc } from './grpo-roc.ts';
import { hanabiTabular } from './hanabi-tabular.ts';
import { igpo } from './igpo.ts';
import { kuhnDrGrpo } from './kuhn-dr-grpo.ts';
import { kuhnGrpoStd } from './kuhn-grpo-std.ts';
import { kuhnLeague } from './kuhn-league.ts';
import { kuhnRae } from './kuhn-rae.ts';
import { kuhnRaePlain } from './kuhn-rae-plain.ts';
import { kuhnTabular } from './kuhn-tabular.ts';
import { lmDpo } from './lm-dpo.ts';
import { lmKto } from './lm-kto.ts';
import { loop } from './loop.ts';
import { mDpo } from './m-dpo.ts';
import { mKto } from './m-kto.ts';
import { marshal } from './marshal.ts';
import { muaRl } from './mua-rl.ts';
import { ppoTokens } from './ppo-tokens.ts';
import { ppoTurns } from './ppo-turns.ts';
import { ragenTwoLevel } from './ragen-two-level.ts';
import { rapo } from './rapo.ts';
import { reinforcePlusPlus } from './reinforce-plus-plus.ts';
import { reinforcePlusPlusBaseline } from './reinforce-plus-plus-baseline.ts';
import { rlhg } from './rlhg.ts';
import { rloo } from './rloo.ts';
import { scalingInter } from './scaling-inter.ts';
import { selfRedTeam } from './self-red-team.ts';
import { spear } from './spear.ts';
import { spiral } from './spiral.ts';
import { spo } from './spo.ts';
import { sppo } from './sppo.ts';
import { starpoS } from './starpo-s.ts';
import { step } from './step.ts';
import { ticTacToeTabular } from './tic-tac-toe-tabular.ts';
import { twentyQuestionsTabular } from './twenty-questions-tabular.ts';
import { webrl } from './webrl.ts';

/** Recipes of our own, each with a world it is good on. */
export const proofs: readonly Recipe[] = [
  kuhnTabular,
  kuhnRae,
  kuhnRaePlain,
  kuhnDrGrpo,
  kuhnGrpoStd,
  ticTacToeTabular,
  hanabiTabular,
  dilemmaTabular,
  clinicTabular,
  twentyQuestionsTabular,
  kuhnLeague,
  lmDpo,
  lmKto,
];

/** Published methods, set up for Kuhn poker unless told otherwise. */
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
];

export const recipes: readonly Recipe[] = [...proofs, ...published];

export function recipe(name: string): Recipe {
  const found = recipes.find((one) => one.name === name);
  if (found === undefined)
    throw new Fault('input', `There is no recipe "${name}"; there are ${recipes.map((one) => one.name).join(', ')}.`);
  return found;
}
