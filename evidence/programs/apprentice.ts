/**
 * @file A language model plays in other programs in the place of their scripts and rules, inside the product's agents and teams. It is
 * taught by what these scripts and rules were asked and answered on other material, for all subjects together, and then frozen. Options:
 * of (subject), the options of that program, server ("URL#MODEL" or "transformer"), seed. Prints what the program prints.
 */

import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import type { ProgramOptions } from '../arms.ts';
import { apprentices, type Stage, teachers } from './_stages.ts';
import { type Lesson, type Teaching, taught } from './_taught.ts';
import beliefs from './beliefs.ts';
import crafting from './crafting.ts';
import elements from './elements.ts';
import keptFunctions from './kept-functions.ts';
import orchestra from './orchestra.ts';
import panel from './panel.ts';
import parts from './parts.ts';
import passages from './passages.ts';
import plays from './plays.ts';
import probes from './probes.ts';
import protocols from './protocols.ts';
import team from './team.ts';
import textGames from './text-games.ts';
import toolbox from './toolbox.ts';
import twoMinds from './two-minds.ts';
import voices from './voices.ts';

interface Subject {
  readonly run: (options: ProgramOptions, stage: Stage) => Promise<Json>;
  /** The arms that the model is taught on. */
  readonly arms: readonly ProgramOptions[];
  readonly usual?: ProgramOptions;
  /** How often each arm is played for lessons. */
  readonly rounds?: number;
}

const ranking = (environment: string, script: string, worse = 'random', more: ProgramOptions = {}): Subject => ({
  run: panel,
  arms: [{ doses: '0,0.3,1', games: 12 }],
  usual: { environment, script, worse, ...more },
  rounds: 4,
});

export const subjects: Readonly<Record<string, Subject>> = {
  voices: { run: voices, arms: [{ arm: 'history' }, { arm: 'last' }], rounds: 10 },
  parts: { run: parts, arms: [{ games: 1 }], rounds: 6 },
  'text-games': { run: textGames, arms: [{ with: 'affordances' }, { with: 'none' }, { with: 'permuted' }] },
  toolbox: { run: toolbox, arms: [{ state: 'carried' }, { state: 'fresh' }], rounds: 2 },
  'two-minds': { run: twoMinds, arms: [{ arm: 'on' }, { arm: 'joint' }] },
  'kept-functions': { run: keptFunctions, arms: [{ box: 'kept' }, { box: 'gone' }], rounds: 4 },
  orchestra: { run: orchestra, arms: [{ tools: 'on' }, { tools: 'off' }] },
  crafting: { run: crafting, arms: [{}, { off: 'decompose,replan' }] },
  plays: { run: plays, arms: [{ from: 'play' }, { from: 'demonstrations' }], rounds: 2 },
  probes: { run: probes, arms: [{}], rounds: 3 },
  elements: {
    run: elements,
    arms: [
      { by: 'rank', episodes: 60 },
      { by: 'page', episodes: 60 },
      { sight: 'graph', by: 'rank', episodes: 60 },
      { sight: 'graph', by: 'page', episodes: 60 },
    ],
    rounds: 2,
  },
  passages: { run: passages, arms: [{}] },
  beliefs: { run: beliefs, arms: [{ ask: 'beliefs' }, { ask: 'random' }] },
  guide: { run: protocols, usual: { ground: 'guide' }, arms: [{ arm: 'on' }, { arm: 'alone' }] },
  team: {
    run: team,
    arms: [
      { settings: '{"protocol":"orchestrator"}' },
      { settings: '{"protocol":"orchestrator","off":["ledger"]}' },
      { ground: 'pace', settings: '{"pipeline":"hla","ticks":{"slow":8,"fast":2,"act":2}}' },
      { ground: 'pace', settings: '{"pipeline":"hla","off":["slow"],"ticks":{"slow":8,"fast":2,"act":2}}' },
    ],
  },
  support: ranking('support', 'staged', 'adviser'),
  reproduction: ranking('reproduction', 'reproducer', 'random', { task: '{"commands":6}' }),
  memory: ranking('memory', 'notes', 'random', { task: '{"tokens":200,"sessions":2,"facts":2,"questions":2}' }),
  rota: ranking('examples/worlds/clinic-rota', 'discreet', 'random', { seat: 'all' }),
  library: ranking('library', 'researcher'),
  'multi-turn': ranking('multi-turn', 'assistant', 'forgetful'),
};

/** Lessons of a subject for one model. */
const share = 700;

export default async function run({ of = '', server = '', seed = 1, ...options }: ProgramOptions): Promise<Json> {
  const { run: play, usual } = subjects[String(of)];
  const model = await taught(teaching(String(server), Number(seed)));
  return play({ ...usual, ...options, seed }, apprentices(model));
}

/** How the model of a seed is taught. */
export function teaching(server: string, seed: number): Teaching {
  return { key: 'apprentice', server, seed, lessons: () => allLessons(seed), steps: 320, answer: 160 };
}

async function allLessons(seed: number): Promise<readonly Lesson[]> {
  const lists: (readonly Lesson[])[] = [];
  for (const name of Object.keys(subjects)) lists.push(await lessonsOf(name, seed));
  return lists.flat();
}

/** What the scripts of a subject were asked and answered, on seeds that no test uses. */
export async function lessonsOf(name: string, seed: number): Promise<readonly Lesson[]> {
  const { run: play, arms, usual, rounds = 1 } = subjects[name];
  const lessons: Lesson[] = [];
  for (let round = 0; round < rounds; round++)
    for (const arm of arms) await play({ ...usual, ...arm, test: seed, seed: 1_000_000 + 100 * seed + round }, teachers(lessons));
  return rng(seed, 'share', name).shuffle(lessons).slice(0, share);
}
