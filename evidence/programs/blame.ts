/**
 * @file Failed episodes of a team with a planted error. A panel has eight switches, of which four matter. The team's reader names each
 * setting, and the hand sets it. At one relevant switch (two in a fifth of the episodes), the reader names a wrong setting without any
 * visible sign.
 *
 * Distractors: in seven of ten episodes, a setting is rejected elsewhere without harm, and at irrelevant switches the reader errs in
 * three of ten. Options: find ("replay": the decisive error by counterfactual replay; "failed": the last failed step, or the last step;
 * "random"), episodes, seed. Prints the share of episodes in which a planted step is named, and how often the responsible member is
 * named.
 */

import { teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { findDecisiveErrors } from '@ludus-agents/evaluation/internal/scoring/counterfactual';
import { type Action, type AnyEnvironment, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { playOne } from './_play.ts';
import { speaker } from './_teams.ts';

const switches = 8;
const letters = ['a', 'b', 'c'];
const moves = [...letters, 'x'].map((letter) => `[${letter}]`);

type State = { readonly wanted: string; readonly matters: readonly number[]; readonly set: string };

function panel(seed: number): { readonly environment: AnyEnvironment; readonly matters: readonly number[] } {
  const random = rng(seed, 'panel');
  const wanted = Array.from({ length: switches }, () => random.pick(letters)).join('');
  const matters = random.shuffle(Array.from({ length: switches }, (_, i) => i)).slice(0, 4);
  const ask = { seat: 'team', choices: moves };
  const environment: AnyEnvironment = {
    id: 'panel@1',
    about: { summary: 'A panel of switches.', tasks: [{}], turns: switches },
    parameters: {},
    task: () => ({}),
    seats: () => ['team'],
    start: () => ({ state: { wanted, matters, set: '' }, messages: [{ to: ['team'], text: `Settings: ${wanted}.` }], asks: [ask] }),
    step(before: State, actions: Readonly<Record<string, Action>>) {
      const setting = actions['team']?.text[1] ?? 'x';
      const state = { ...before, set: before.set + setting };
      const at = state.set.length;
      const text = setting === 'x' ? `Switch ${at}: failed, no such setting.` : `Switch ${at} is set.`;
      const isOver = at === switches;
      const isRight = matters.every((i) => state.set[i] === wanted[i]);
      const rewards = { rewards: { team: isOver && isRight ? 1 : 0 } };
      return { state, messages: [{ to: ['team'], text }], asks: isOver ? [] : [ask], ...rewards };
    },
  };
  return { environment, matters };
}

export default async function run({ find = 'replay', episodes = 40, seed = 1 }: ProgramOptions): Promise<Json> {
  const discussion = await builtInEnvironment('discussion');
  let [steps, members, replays] = [0, 0, 0];
  for (let i = 0; i < Number(episodes); i++) {
    const number = Number(seed) * 1000 + i;
    const random = rng(number, 'plant');
    const { environment, matters } = panel(number);
    const planted = random.shuffle(matters).slice(0, random.next() < 0.2 ? 2 : 1);
    const harmless = Array.from({ length: switches }, (_, at) => at).filter((at) => !matters.includes(at));
    const refused = random.next() < 0.7 ? random.pick(harmless) : -1;
    const wrong = harmless.filter((at) => at !== refused && random.next() < 0.3);
    const reader = speaker('reader', ({ question, before }) => {
      const at = before.length;
      if (at === refused) return 'Answer: [x]';
      const right = /Settings: (\w+)/.exec(question)?.[1]?.[at] ?? 'a';
      const isWrong = planted.includes(at) || wrong.includes(at);
      return `Answer: [${isWrong ? letters[(letters.indexOf(right) + 1) % letters.length] : right}]`;
    });
    const hand = speaker('hand', ({ heard: texts }) => texts.at(-1) ?? '');
    const agents = { reader, hand };
    const settings = readTeam({
      name: 'team',
      kind: 'team',
      settings: { protocol: 'in-order', lead: 'hand', members: ['reader', 'hand'] },
    });
    const team = teamAgent({ name: 'team', settings, members: agents, discussion });
    const { events } = await playOne(environment, { team }, {}, number);
    const texts = events.flatMap((event) => (event.kind === 'message' && event.text.startsWith('Switch') ? [event.text] : []));
    if (find === 'replay') {
      const signal = new AbortController().signal;
      const result = await findDecisiveErrors({ environment, events, agents: { team }, changes: 6, steps: 60, signal });
      replays += result.replays;
      if (planted.includes(result.errors[0]?.step ?? -1)) steps++;
      if (result.errors[0]?.member === 'reader') members++;
    } else {
      const failed = texts.findLastIndex((text) => text.includes('failed'));
      const named = find === 'random' ? random.int(switches) : failed < 0 ? switches - 1 : failed;
      if (planted.includes(named)) steps++;
    }
  }
  return { accuracy: steps / Number(episodes), member: members / Number(episodes), replays: replays / Number(episodes) };
}
