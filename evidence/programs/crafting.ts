/**
 * @file Chains of eight crafting steps. The recipes are among forty lines of text knowledge, of which a module gets the twelve that fit
 * best. A script replaces the model: it splits the goal only with lines that it is given, and keeps its subgoals in the line that the
 * pipeline keeps.
 *
 * Options: knowledge ("own", "other", or "none"), off (modules), seed. Prints the completed share of the chain in 20 worlds of 30
 * moves, and the turns in which the goal was split.
 */

import { readTeamMind, teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Action, type AnyEnvironment, type Json, type Rng, rng, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { playOne } from './_play.ts';
import { textsIn } from './_readers.ts';
import { scripts } from './_stages.ts';

const [worlds, depth, mostMoves] = [20, 8, 30];
const syllables = ['ba', 'do', 'ke', 'li', 'mu', 'na', 'po', 'ri', 'su', 'ta', 've', 'zo'];

type World = { readonly chain: readonly string[]; readonly lines: readonly string[]; readonly names: readonly string[] };
type State = { readonly made: number; readonly moves: number };

/** Names of a world, its chain of recipes, and forty lines: eight recipes and others that lead nowhere. */
function worldOf(random: Rng): World {
  const names = new Set<string>();
  while (names.size < 72) names.add(`${random.pick(syllables)}${random.pick(syllables)}${random.pick(syllables)}`);
  const all = [...names];
  const chain = all.slice(0, depth);
  const raw = all.slice(40);
  const recipe = (makes: string, part: string, i: number) => `To make ${makes} you need ${part} and ${raw[i % raw.length]}.`;
  const useful = chain.map((name, i) => recipe(name, i === 0 ? raw[31] : chain[i - 1], i));
  const others = all.slice(depth, 40).map((name, i) => recipe(name, raw[(i + 7) % raw.length], i + 3));
  return { chain, lines: random.shuffle([...useful, ...others]), names: all.slice(0, 24) };
}

function workshopOf({ chain, names }: World): AnyEnvironment {
  const asks = [{ seat: 'maker', choices: names.map((name) => `[make ${name}]`) }];
  return {
    id: 'crafting@1',
    about: { summary: 'A chain of crafting steps.', tasks: [{}], turns: mostMoves, complete: true },
    parameters: {},
    task: () => ({}),
    seats: () => ['maker'],
    start: () => ({ state: { made: 0, moves: 0 }, messages: [{ to: ['maker'], text: `Goal: make ${chain.at(-1)}.` }], asks }),
    step({ made: progress, moves }: State, actions: Readonly<Record<string, Action>>) {
      const isMade = actions['maker']?.text === `[make ${chain[progress]}]`;
      const state: State = { made: progress + (isMade ? 1 : 0), moves: moves + 1 };
      const isOver = state.made === depth || state.moves >= mostMoves;
      return {
        ...{
          state,
          messages: [{ to: ['maker'], text: isMade ? `You made ${chain[progress]}.` : 'Nothing happens.' }],
          asks: isOver ? [] : asks,
        },
        ...(isOver ? { rewards: { maker: state.made / depth } } : {}),
      };
    },
  };
}

const maker = scripted(
  'maker',
  Object.assign(
    (turn: Turn) => {
      const texts = textsIn(turn);
      const ask = texts.at(-1) ?? '';
      if (ask.includes('"Goals: …"')) return { text: `Goals: ${splitGoals(texts).join(' ')}` };
      if (ask.includes('"Failed: no"'))
        return { text: texts.some((text, i) => i > texts.length - 4 && text === 'Nothing happens.') ? 'Failed: yes' : 'Failed: no' };
      const goals = splitGoals(texts).filter((name) => !texts.includes(`You made ${name}.`));
      const choice = goals.map((name) => `[make ${name}]`).find((move) => turn.ask.choices?.includes(move) === true);
      const isStuck = texts.some((text, i) => i > texts.length - 4 && text === 'Nothing happens.');
      return {
        text: `Answer: ${choice !== undefined && !(isStuck && turn.rng.next() < 0.5) ? choice : turn.rng.pick(turn.ask.choices ?? [''])}`,
      };
    },
    { speaks: true as const },
  ),
);

/** The sub-goals in order, the deepest first: those of the latest line, split further by the recipes that are told now. */
function splitGoals(texts: readonly string[]): readonly string[] {
  const root = /Goal: make (\w+)/.exec(texts.join('\n'))?.[1] ?? '';
  const stored = [...texts.join('\n').matchAll(/^Goals: (\w[\w ]*)$/gm)].at(-1)?.[1]?.split(' ') ?? [root];
  const goals = [...stored];
  const recipes = [...texts.join('\n').matchAll(/To make (\w+) you need (\w+) and/g)];
  for (let i = 0; i < depth; i++) {
    const part = recipes.find(([, makes]) => makes === goals[0])?.[2];
    if (part === undefined || goals.includes(part)) break;
    goals.unshift(part);
  }
  return goals;
}

export default async function run({ knowledge = 'own', off = '', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const discussion = await builtInEnvironment('discussion');
  let [share, split] = [0, 0];
  await forEachOf(Array.from({ length: worlds }), async (_, i) => {
    const world = worldOf(rng(Number(seed), 'world', i));
    const lines = knowledge === 'own' ? world.lines : worldOf(rng(Number(seed), 'other', i)).lines;
    const settings = {
      pipeline: 'gitm',
      members: ['maker'],
      ...(knowledge === 'none' ? {} : { knowledge: lines }),
      ...(off === '' ? {} : { off: String(off).split(',') }),
    };
    const agent = teamAgent({
      name: 'maker',
      settings: readTeam({ name: 'maker', kind: 'team', settings }),
      members: { maker: stage.player(maker) },
      discussion,
    });
    const { events, returns } = await playOne(workshopOf(world), { maker: agent }, {}, Number(seed) * 1000 + i);
    share += (returns['maker'] ?? 0) / worlds;
    const last = events.findLast((event) => event.kind === 'action');
    split += (last?.kind === 'action' ? readTeamMind(last.mind)?.acted['ran decompose'] : 0) ?? 0;
  });
  return { share, split };
}
