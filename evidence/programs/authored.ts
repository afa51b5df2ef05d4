/**
 * @file Authored characters whose lines depend on mood: random conversations of kind and rude remarks, with the line that the author
 * wants after each. Options: appraisal ("on" or "off"), seed. Prints the share of lines that match.
 */

import { type AuthoredState, actByRules, firstState } from '@ludus-agents/agents/internal/personas/rules/act';
import { type AuthoredRules, authoredRules } from '@ludus-agents/agents/internal/personas/rules/rules';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import type { ProgramOptions } from '../arms.ts';

const talks = 40;
const turns = 6;

export default function run({ appraisal = 'on', seed = 1 }: ProgramOptions): Json {
  const random = rng(Number(seed), 'talks');
  let right = 0;
  let felt = 0;
  for (let talk = 0; talk < talks; talk++) {
    const rules = rulesFor(appraisal === 'on', 3 + random.int(5));
    let state: AuthoredState = firstState(rules);
    // What the author wants: thanks while the remarks were mostly kind, anger once they were mostly rude.
    let balance = 0;
    for (let turn = 0; turn < turns; turn++) {
      const isKind = random.next() < 0.5;
      balance = 0.5 * balance + (isKind ? 1 : -1);
      const answer = actByRules(rules, state, [{ speaker: 'guest', text: isKind ? 'That was kind of you.' : 'You are a fool.' }], random);
      state = answer.state;
      if (answer.by.includes('insult') || answer.by.includes('praise')) felt++;
      if (answer.says === (balance >= 0 ? 'Thank you!' : 'Go away!')) right++;
    }
  }
  return { right: right / (talks * turns), felt };
}

function rulesFor(isOn: boolean, strength: number): AuthoredRules {
  const appraisals = [
    { id: 'praise', on: ['kind'], when: [], desirability: strength, target: 'self' },
    { id: 'insult', on: ['fool'], when: [], desirability: -strength, target: 'self' },
  ];
  const document = {
    appraisal: isOn ? appraisals : [],
    decisions: [
      { id: 'angry', on: [], when: [{ what: 'mood', below: 0 }], utility: 2, says: 'Go away!' },
      { id: 'glad', on: [], when: [], utility: 1, says: 'Thank you!' },
    ],
    dialogue: [],
    otherwise: 'Hm.',
  };
  return readAs(authoredRules, document, { where: 'rules', called: 'rules' });
}
