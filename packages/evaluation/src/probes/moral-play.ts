/**
 * @file Villains in play (Moral RolePlay): characters of all four moral levels in scenes of several turns, with free answers. A blind
 * reader determines the level that the words show. Fidelity by level shows whether villains are played worse than paragons.
 *
 * The fidelity of a scene is 1 − |shown − meant| / 3. The villain gap is the fidelity at levels 1 and 2 minus that at 3 and 4, scene by scene.
 */

import { derive, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, Fault, type Json, rng, type Seed, type Store, scripted } from '@ludus-agents/kernel/internal/core/index';
import { list, object, optional, readAs, required, words } from '@ludus-agents/kernel/internal/core/shape';
import { type Interval, mean } from '../scoring/statistics/mean.ts';
import { summaryOf } from '../scoring/statistics/summary.ts';
import { isOutOfRole, type MoralLevel, type MoralReader, moralLevels, wordReader } from './moral-readers.ts';
import { type ProbeStore, playProbes } from './play-probes.ts';
import type { Probe } from './probe.ts';
import { dilemmas } from './temper.ts';

/** A situation, later messages of others, and typical actions of each level, from paragon to villain. */
export interface MoralScene {
  readonly scene: string;
  readonly ways: readonly string[];
  readonly turns?: readonly string[];
}

/** Messages after the character has acted, for scenes without turns. They ask for reasons and actions, never for a level. */
const usualTurns = [
  'Somebody who saw it asks: “Why did you do that?” What do you answer?',
  'A day later. What have you done about it since?',
];

/** Scenes in which a character can act at any of four moral levels: built-in and user-defined ones. */
export const moralScenes: readonly MoralScene[] = dilemmas;

/** All messages to the character in a scene, in order. */
export function turnsIn({ scene, turns = usualTurns }: MoralScene): readonly string[] {
  return [`${scene} What do you do, and what do you say?`, ...turns];
}

const shape = list(
  object<MoralScene>({
    scene: required(words, 'the situation'),
    ways: required(list(words, 4), 'what is done at levels 1 (paragon), 2 (flawed but good), 3 (egoist) and 4 (villain)'),
    turns: optional(list(words, { from: 1 }), 'later messages of others'),
  }),
  { from: 2 },
);

/** User-defined scenes: a list of {"scene", "ways", "turns"}. */
export function readMoralScenes(input: Json, where: string): readonly MoralScene[] {
  return readAs(shape, input, { where, called: 'a list of moral scenes' });
}

/** The settings of a measurement: the player, the scenes, and the reader. */
export interface MoralPlayOptions {
  /** The agent that plays a persona. */
  agent(persona: Persona, probe: Probe): Agent | Promise<Agent>;
  readonly scenes?: readonly MoralScene[] | undefined;
  readonly reader?: MoralReader | undefined;
  readonly seed?: Seed | undefined;
  readonly store?: (ProbeStore & Pick<Store, 'putScores'>) | undefined;
  readonly run?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface MoralRow {
  readonly level: MoralLevel;
  /** The number of characters of this level. */
  readonly personas: readonly string[];
  readonly fidelity: number | null;
  readonly interval: Interval | null;
  /** The mean level found by the reader. */
  readonly shown: number | null;
  /** Scenes that were played and could be parsed. */
  readonly n: number;
}

/** Fidelity by moral level, and the villain gap. */
export interface MoralPlayReport {
  readonly reader: string;
  /** "versions" of one card, or a "set" of cards that state their levels. */
  readonly design: 'versions' | 'set';
  readonly scenes: number;
  readonly rows: readonly MoralRow[];
  /** Positive if good characters are played more faithfully than bad ones. The interval is over scenes. */
  readonly villainGap: { readonly value: number; readonly interval: Interval; readonly scenes: number } | null;
  /** Scenes whose words show no level. */
  readonly unread: number;
  /** Scenes without any words of the character, for example because its model failed. */
  readonly broken: number;
  /** Scenes in which the model refused to play the role; a reader would take the refusal for a good deed. */
  readonly refused: number;
  /** The fidelity of an agent that acts at level 2 in every role. */
  readonly floor: number;
}

/** The card at a moral level, and nothing else changed. */
function atLevel(persona: Persona, level: MoralLevel): Persona {
  const { identity } = persona;
  const moral = { ...identity.personal.moral, level };
  return derive(persona, { identity: { ...identity, personal: { ...identity.personal, moral } } }, 'vary');
}

function levelOf({ identity }: Persona): MoralLevel | undefined {
  return moralLevels.find((level) => level === identity.personal.moral.level);
}

/** Several personas, each at its stated level; both halves of the gap must be represented. */
function membersOf(personas: readonly Persona[]): readonly { readonly persona: Persona; readonly level: MoralLevel }[] {
  if (personas.length === 1) return moralLevels.map((level) => ({ persona: atLevel(personas[0], level), level }));
  const members = personas.flatMap((persona) => {
    const level = levelOf(persona);
    return level === undefined ? [] : [{ persona, level }];
  });
  const silent = personas.filter((persona) => levelOf(persona) === undefined).map(({ name }) => name);
  if (silent.length > 0)
    throw new Fault('input', `${silent.join(', ')}: no moral level. Set "identity.personal.moral.level" from 1 (paragon) to 4 (villain).`, {
      code: 'E_NO_MORAL_LEVEL',
      details: { personas: silent },
    });
  const missing = moralLevels.filter((level) => !members.some((member) => member.level === level));
  if (missing.length > 0)
    throw new Fault(
      'input',
      `No persona has the moral level ${missing.join(' or ')}. Add one for each level, or give one persona to play it at all four.`,
      { code: 'E_MISSING_MORAL_LEVEL', details: { missing } },
    );
  return members;
}

interface ReadScene {
  readonly level: MoralLevel;
  readonly scene: number;
  readonly shown: MoralLevel;
  readonly fidelity: number;
}

/** Plays one persona at four levels, or a set of personas that covers all four, and reports fidelity by level and the villain gap. */
export async function measureMoralPlay(personas: readonly Persona[], options: MoralPlayOptions): Promise<MoralPlayReport> {
  const { reader = wordReader, scenes = moralScenes, seed = 0, store, run, signal } = options;
  const members = membersOf(personas);
  const scenesRead: ReadScene[] = [];
  let unread = 0;
  let broken = 0;
  let refused = 0;
  for (const { persona, level } of members) {
    const probes = scenes.map((scene, i) => probeOf(scene, { level, id: `moral play ${persona.id} ${level} ${i + 1}` }));
    const agent = (probe: Probe) => options.agent(persona, probe);
    const played = await playProbes(probes, { persona, agent, seed, store, run, signal });
    for (const [i, { answers, episode }] of played.entries()) {
      const spoken = answers.join('\n').trim();
      if (spoken === '') {
        broken++;
        continue;
      }
      if (isOutOfRole(spoken)) {
        refused++;
        continue;
      }
      const levelRead = await reader.read(spoken, scenes[i].ways, rng(seed, 'moral play', persona.id, level, i));
      if (levelRead === null) {
        unread++;
        continue;
      }
      const fidelity = fidelityOf(levelRead, level);
      scenesRead.push({ level, scene: i, shown: levelRead, fidelity });
      if (episode !== undefined)
        await store?.putScores(episode, [
          {
            name: 'moral-fidelity',
            status: 'ok',
            seat: 'character',
            value: fidelity,
            scale: [0, 1],
            parts: { level, shown: levelRead },
            evidence: [],
            cost: { calls: 0, promptTokens: 0, completionTokens: 0, money: 0 },
            provenance: { reader: reader.name },
          },
        ]);
    }
  }
  return {
    ...{
      reader: reader.name,
      design: personas.length === 1 ? 'versions' : 'set',
      scenes: scenes.length,
      unread,
      broken,
      refused,
      villainGap: gapOf(scenesRead),
    },
    rows: moralLevels.map((level) =>
      rowOf(
        level,
        members.filter((member) => member.level === level).map(({ persona }) => persona.name),
        scenesRead,
      ),
    ),
    floor: mean(moralLevels.map((level) => fidelityOf(2, level))),
  };
}

function fidelityOf(shownLevel: number, level: number): number {
  return 1 - Math.abs(shownLevel - level) / 3;
}

function probeOf(scene: MoralScene, { level, id }: { readonly level: MoralLevel; readonly id: string }): Probe {
  return {
    ...{ id, section: 'moral', kind: `level ${level}`, source: 'identity.personal.moral.level' },
    ...{ turns: turnsIn(scene), gold: 'answer', key: scene.ways },
  };
}

function rowOf(level: MoralLevel, personas: readonly string[], read: readonly ReadScene[]): MoralRow {
  const played = read.filter((scene) => scene.level === level);
  if (played.length === 0) return { level, personas, fidelity: null, interval: null, shown: null, n: 0 };
  return {
    ...{ level, personas, fidelity: mean(played.map(({ fidelity }) => fidelity)), n: played.length },
    interval: overScenes(played.map(({ scene, fidelity }) => ({ scene, value: fidelity }))),
    shown: mean(played.map(({ shown }) => shown)),
  };
}

/** The interval for new scenes. Values from 0 to 1 that never varied in a few scenes are not certain. */
function overScenes(values: readonly { readonly scene: number; readonly value: number }[]): Interval | null {
  if (values.length < 2) return null;
  return (
    summaryOf(
      values.map(({ scene, value }) => ({ scene: '', task: String(scene), seed: 0, value })),
      { over: 'tasks' },
    )?.interval ?? null
  );
}

/** The difference within each scene with both halves, so hard scenes count for both. */
function gapOf(read: readonly ReadScene[]): MoralPlayReport['villainGap'] {
  const gaps = [...Map.groupBy(read, ({ scene }) => scene)].flatMap(([scene, played]) => {
    const half = (isGood: boolean) => played.filter(({ level }) => level <= 2 === isGood).map(({ fidelity }) => fidelity);
    const [good, bad] = [half(true), half(false)];
    return good.length === 0 || bad.length === 0 ? [] : [{ scene, value: mean(good) - mean(bad) }];
  });
  if (gaps.length < 2) return null;
  // A gap is between −1 and 1, and intervals expect values from 0 to 1.
  const [low, high] = overScenes(gaps.map(({ scene, value }) => ({ scene, value: (value + 1) / 2 }))) ?? [0, 1];
  return { value: mean(gaps.map(({ value }) => value)), interval: [2 * low - 1, 2 * high - 1], scenes: gaps.length };
}

const moralControls = ['plays', 'kind', 'ignores'] as const;

/** Players of known fidelity: one that acts at the level of its card, one that is kind in every role, and one that shows nothing. */
export function moralControl(name: string, persona: Persona, { kind, key }: Probe): Agent {
  const control = moralControls.find((candidate) => candidate === name);
  if (control === undefined)
    throw new Fault(
      'input',
      `Unknown control "${name}" for moral play. Available: ${moralControls.map((candidate) => `control:${candidate}`).join(', ')}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  const meant = Number(kind.split(' ')[1]);
  const text = control === 'ignores' ? 'So it is today, then.' : `I ${key[(control === 'kind' ? 2 : meant) - 1]}.`;
  return { ...scripted(`control:${name}`, () => ({ text })), persona: persona.hash };
}
