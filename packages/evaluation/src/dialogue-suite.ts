/**
 * @file Builds a role-play benchmark from characters and scenes (after FURINA): a source model plays all characters, and each turn of a
 * tested character becomes a task with the preceding dialogue, the source's line, and the axis that the turn tests.
 */

import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type { NextLineSpeech } from '@ludus-agents/environments/internal/next-line/next-line';
import { type Agent, Fault, type Json, type JsonObject, rng, type Seed } from '@ludus-agents/kernel/internal/core/index';
import { list, object, readAs, required, type ShapeValue, text, withDefault, words } from '@ludus-agents/kernel/internal/core/shape';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { gramsOf, wordsOf } from './scoring/rules/text.ts';
import { readSuite, type Suite } from './scoring/suites/index.ts';

export type FurinaAxis = 'setting' | 'recall' | 'reasoning' | 'preference' | 'conversation';

const sceneShape = object({
  name: withDefault(words, ({ background }) => String(background ?? 'scene').slice(0, 40)),
  background: required(words, 'where they are, and what has happened'),
  motivation: withDefault(text, '', 'what each character wants here'),
  opening: withDefault(text, '', 'the first line'),
  characters: withDefault(list(words), [], 'ids or names of the characters that may take part (default: all)'),
});

/** The setting of a dialogue. If it names no characters, all may take part. */
export type DialogueScene = ShapeValue<typeof sceneShape>;

/** Scenes from a file: a list of {"background", "motivation", "opening", "characters"}. */
export function readDialogueScenes(json: Json): readonly DialogueScene[] {
  return readAs(list(sceneShape, { from: 1 }), json, { where: 'The scenes', called: 'a list of scenes' });
}

/** The axis that the preceding words demand of the next speaker, by rule. */
export function axisOf(history: readonly NextLineSpeech[]): FurinaAxis {
  const last = history.at(-1)?.text ?? '';
  const before = history.slice(0, -1).map((line) => new Set(gramsOf(wordsOf(line.text), 3)));
  const grams = gramsOf(wordsOf(last), 3);
  if (/\byou (?:said|told|promised|mentioned)\b/i.test(last) || grams.some((gram) => before.some((item) => item.has(gram))))
    return 'setting';
  if (/\bwhy\b|\bhow come\b|\bwhat makes you\b|\bwhat if\b/i.test(last)) return 'reasoning';
  if (/\b(?:like|love|prefer|favou?rite|rather|enjoy)\b/i.test(last) && last.includes('?')) return 'preference';
  if (/\b(?:who|where|when|which|how old|how long|how many|what (?:is|are|was|do|does|did))\b/i.test(last) && last.includes('?'))
    return 'recall';
  return 'conversation';
}

export interface DialogueSuiteOptions {
  readonly name: string;
  readonly personas: readonly Persona[];
  readonly scenes: readonly DialogueScene[];
  /** Turns of a dialogue. */
  readonly turns: number;
  readonly seed: Seed;
  /** The source model that plays all characters, and whose lines are the other side of comparisons. */
  source(persona: Persona, others: readonly Persona[]): Promise<Agent>;
  /** The agent that plays the tested character, so dialogues continue with its own words; the source by default. */
  readonly test?: ((persona: Persona, others: readonly Persona[]) => Promise<Agent>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface DialogueSuite {
  readonly suite: Suite;
  readonly dialogues: number;
  /** Tasks by axis. */
  readonly axes: Readonly<Record<string, number>>;
}

interface TestedTurn {
  readonly persona: Persona;
  readonly axis: FurinaAxis;
  readonly task: JsonObject;
}

/** Every character is tested in every permitted scene, with one of the others as its partner. */
export async function buildDialogueSuite(options: DialogueSuiteOptions): Promise<DialogueSuite> {
  const { personas, scenes, seed } = options;
  if (personas.length < 2) throw new Fault('input', `A dialogue needs at least two characters, but got ${personas.length}. Add another.`);
  const turns: TestedTurn[] = [];
  let dialogues = 0;
  for (const scene of scenes)
    for (const persona of personas) {
      const present = (persona: Persona) =>
        scene.characters.length === 0 || scene.characters.some((name) => name === persona.id || name === persona.name);
      const partners = personas.filter((otherPersona) => otherPersona !== persona && present(otherPersona));
      if (!present(persona) || partners.length === 0) continue;
      const partner = rng(seed, 'furina', scene.name, persona.id).pick(partners);
      turns.push(...(await dialogueOf(options, scene, persona, partner)));
      dialogues++;
    }
  if (turns.length === 0) throw new Fault('input', 'No scene has two of these characters in it, so there is nothing to test.');
  const axes = Object.fromEntries([...Map.groupBy(turns, ({ axis }) => axis)].map(([axis, testedTurns]) => [axis, testedTurns.length]));
  return { suite: suiteOf(options.name, turns), dialogues, axes };
}

async function dialogueOf(
  options: DialogueSuiteOptions,
  scene: DialogueScene,
  persona: Persona,
  partner: Persona,
): Promise<readonly TestedTurn[]> {
  const source = await options.source(persona, [partner]);
  const test = await options.test?.(persona, [partner]);
  const other = await options.source(partner, [persona]);
  const history: NextLineSpeech[] = scene.opening === '' ? [] : [{ speaker: partner.name, text: scene.opening }];
  const testedTurns: TestedTurn[] = [];
  // The director: anyone who has not just spoken speaks next.
  for (let turn = 0; turn < options.turns; turn++) {
    const tested = history.at(-1)?.speaker === partner.name;
    const task = {
      character: tested ? persona.name : partner.name,
      background: scene.background,
      motivation: scene.motivation,
      history: [...history],
    };
    const at = [scene.name, persona.id, turn] as const;
    const line = await lineOf(tested ? source : other, task, options, at);
    if (tested) {
      const axis = axisOf(history);
      testedTurns.push({ persona, axis, task: { ...task, axis, source: line } });
    }
    const spokenLine = tested && test !== undefined ? await lineOf(test, task, options, at) : line;
    if (spokenLine === '') break;
    history.push({ speaker: task.character, text: spokenLine });
  }
  return testedTurns;
}

async function lineOf(
  agent: Agent,
  task: JsonObject,
  { seed, signal }: DialogueSuiteOptions,
  at: readonly (string | number)[],
): Promise<string> {
  const environment = await builtInEnvironment('next-line');
  const dice = rng(seed, 'furina', ...at).int(2 ** 31);
  let spokenText = '';
  for await (const event of play(environment, { character: agent }, { task, seed: dice, ...(signal === undefined ? {} : { signal }) })) {
    if (event.kind === 'action') spokenText = event.action.text.trim();
    if (event.kind === 'end' && event.reason === 'error')
      throw new Fault('agent', `${agent.name} failed while the suite was built: ${event.fault?.message ?? 'unknown reason'}`);
  }
  signal?.throwIfAborted();
  return spokenText;
}

/** A scene of the suite for each character and axis, so both are rows of its table. */
function suiteOf(name: string, turns: readonly TestedTurn[]): Suite {
  const groups = Map.groupBy(turns, ({ persona, axis }) => `${persona.id}: ${axis}`);
  return readSuite({
    name,
    about:
      'The next line of a character, after dialogues that a source model played. Compare with its lines: ludus score RUN --rubric furina --judge MODEL --against source.',
    seeds: 1,
    nulls: ['echo'],
    scenes: [...groups].map(([title, testedTurns]) => ({
      name: title,
      environment: 'next-line',
      tasks: testedTurns.map(({ task }) => task),
      seats: ['character'],
      personas: { character: testedTurns[0].persona },
      kinds: { echo: 'scripted:echo', scripted: 'scripted:character' },
      score: 'style',
      pass: 0.6,
      also: ['sentence-alignment', 'secrets'],
    })),
  });
}
