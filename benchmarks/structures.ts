/**
 * @file What structures that agents keep are worth: `npm run bench -- structures [--seeds=5] [--first=7001] [--model=NAME [--briefs=20]]`.
 *
 * A register that a writer keeps (AutoStudio), against as many tokens of conversation; an agent that asks by its belief graph against one that asks anything, by the
 * number of turns (Proactive Agents); tools that a model removes, against the rule (MemTool). Programs replace models: one writes down nine
 * facts of ten that it reads, one draws what its prompt says, one keeps the tools of what was spoken of last. With --model, a language model
 * draws, writes the register, and asks; what it says is read, and counted where it cannot be read.
 */

import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { emptyMemory, remember } from '@ludus-agents/agents/internal/mind/memory';
import type { Mind } from '@ludus-agents/agents/internal/mind/mind';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import type { Tool } from '@ludus-agents/agents/internal/tools/tool';
import { mean } from '@ludus-agents/evaluation/internal/scoring/statistics/mean';
import { pairedDifference } from '@ludus-agents/evaluation/internal/scoring/statistics/paired';
import { type Json, type JsonObject, type Model, type Rng, rng, type Seen } from '@ludus-agents/kernel/internal/core/index';
import { loadModel } from 'ludus-agents';
import { beliefText, drawn, metBy, names } from '../evidence/programs/beliefs.ts';
import { sizeOf } from './_size.ts';
import type { Figure, Flags } from './run.ts';

const signal = new AbortController().signal;

export async function measure(flags: Flags): Promise<readonly Figure[]> {
  const first = Number(flags['first'] ?? 7001);
  const seeds = Array.from({ length: sizeOf(flags, 'seeds', 5, 2) }, (_, i) => first + i);
  const figures: Figure[] = [];
  const named = flags['model'];
  if (typeof named === 'string') {
    const model = limitAnswers(await loadModel(named));
    if (flags['only'] !== 'beliefs') for (const turns of [20, 80]) figures.push(await measureRegister(seeds, turns, model));
    return [...figures, ...(await measureBeliefs(seeds, { model, briefs: sizeOf(flags, 'briefs', usualBriefs, 1) }))].map((figure) => ({
      ...figure,
      name: `${figure.name}, ${named}`,
    }));
  }
  for (const turns of flags['smoke'] === true ? [20] : [20, 80, 200]) figures.push(await measureRegister(seeds, turns));
  figures.push(...(await measureBeliefs(seeds)));
  figures.push(await measureRemoval(seeds));
  return figures;
}

/** The model at temperature 0 with short answers, so that a run ends. */
function limitAnswers(model: Model): Model {
  const longest = 80;
  return { ...model, complete: (prompt, _, signal) => model.complete(prompt, { temperature: 0, maxTokens: longest }, signal) };
}

interface Arm {
  readonly value: number;
  readonly notes: Readonly<Record<string, number>>;
}

function compareArms(name: string, unit: string, [on, off]: readonly [readonly Arm[], readonly Arm[]]): Figure {
  const { value, interval } = pairedDifference(on.map((arm, i) => ({ a: arm.value, b: off[i].value })));
  const means = (arms: readonly Arm[]) => {
    const names = Object.keys(arms[0].notes).map((note) => `${note} ${mean(arms.map(({ notes }) => notes[note])).toFixed(2)}`);
    return [mean(arms.map((arm) => arm.value)).toFixed(3), ...names].join(', ');
  };
  return {
    name,
    value,
    unit,
    note: `95% ${interval[0].toFixed(3)} to ${interval[1].toFixed(3)}; with: ${means(on)}; without: ${means(off)}`,
  };
}

async function measureRegister(seeds: readonly number[], turns: number, model?: Model): Promise<Figure> {
  // A model's requests are longer than those to a program.
  const more = model === undefined ? 0 : 300;
  const on = { writer: true, knowledge: ['register'], memory: 'generative', memories: 0, budget: 700 + more };
  const off = { memory: 'relevant', memories: 12, budget: 1300 + more };
  const play = (settings: JsonObject) => Promise.all(seeds.map((seed) => draw(seed, { turns, settings, model })));
  return compareArms(`register by a writer, ${turns} turns`, 'attributes drawn rightly', await Promise.all([play(on), play(off)]));
}

const subjects = ['fox', 'mill', 'baker', 'boat', 'goat', 'tower', 'pirate', 'lamp', 'horse', 'bridge', 'witch', 'cart'];
const aliases = [
  'Reynard',
  'Oldstone',
  'Marla',
  'Petrel',
  'Nan',
  'Highwatch',
  'Blackeye',
  'Glimmer',
  'Star',
  'Longspan',
  'Hilda',
  'Creaker',
];
const attributes = ['coat', 'hat', 'door', 'size', 'mark'];
const values = ['red', 'blue', 'green', 'small', 'tall', 'striped', 'golden', 'broken', 'old', 'white'];

/** A story in pictures: something is described or changed at each turn, and every fourth time something is to be drawn again by its other name. */
async function draw(
  seed: number,
  { turns, settings, model }: { readonly turns: number; readonly settings: JsonObject; readonly model: Model | undefined },
): Promise<Arm> {
  const dice = rng(seed, 'story');
  const truth = new Map<string, Map<string, string>>();
  const items: Seen[] = [
    { kind: 'message', to: ['artist'], text: 'You draw pictures for a story. Draw things as they were described last.' },
  ];
  const agent = await llmAgent({ spec: { name: 'artist', kind: 'llm', settings }, seat: 'artist', model: model ?? artist(seed) });
  let mind: Json | undefined;
  let [right, questionCount, tokens, named] = [0, 0, 0, 0];
  for (let turn = 0; turn < turns; turn++) {
    const introduced = [...truth.keys()];
    const isDrawing = turn % 4 === 3 && introduced.length > 0;
    const subject = isDrawing ? dice.pick(introduced) : dice.pick(subjects);
    const name = aliases[subjects.indexOf(subject)];
    const attribute = dice.pick(attributes);
    const value = dice.pick(values);
    const facts = truth.get(subject) ?? new Map<string, string>();
    const intro = truth.has(subject) ? '' : `There is a ${subject} called ${name}. `;
    if (!isDrawing) truth.set(subject, facts.set(attribute, value));
    const request = model === undefined ? `Draw ${name}.` : `What does ${name} look like now? Name the ${attributes.join(', ')}.`;
    const text = isDrawing ? request : `${intro}The ${attribute} of the ${subject} is ${value}. ${small(dice)}`;
    items.push({ kind: 'message', to: ['artist'], from: 'teller', text });
    const reply = await agent.act(
      { view: { seat: 'artist', seen: items }, ask: { seat: 'artist' }, rng: rng(seed, turn), ...(mind && { mind }) },
      signal,
    );
    mind = reply.mind;
    items.push({ kind: 'action', action: reply.action });
    for (const { usage } of reply.calls ?? []) tokens += usage.promptTokens;
    if (!isDrawing) continue;
    questionCount += facts.size;
    const drawing = reply.action.text.toLowerCase();
    named += values.filter((value) => drawing.includes(value)).length;
    for (const [key, fact] of facts) if (model === undefined ? drawing.includes(`${key} ${fact};`) : isSaid(drawing, key, fact)) right++;
  }
  const written = ((mind as Mind | undefined)?.memory?.records ?? []).length;
  return {
    value: right / questionCount,
    notes: {
      'tokens a turn': tokens / turns,
      'facts written': settings['writer'] === true ? written : 0,
      ...(model !== undefined && { 'values named, of each that is asked for': named / questionCount }),
    },
  };
}

/** Whether some part of a text between punctuation has an attribute with its value. */
function isSaid(text: string, key: string, value: string): boolean {
  return text.split(/[.,;\n]/).some((part) => part.includes(key) && part.includes(value));
}

function small(dice: Rng): string {
  return dice.pick([
    'It was a long day on the road for all of them.',
    'The wind went round the houses that night.',
    'Nobody spoke for a while.',
  ]);
}

function artist(seed: number) {
  const misses = rng(seed, 'misses');
  return fakeModel({
    answers({ messages }) {
      const last = String(messages.at(-1)?.content);
      const text = messages.map(({ content }) => String(content)).join('\n');
      if (last.includes('<records>')) {
        const records = last.slice(last.indexOf('<records>'));
        const rows = [
          ...[...records.matchAll(/There is a (\w+) called (\w+)\./g)].map(([, subject, name]) => `${subject}.alias = ${name}`),
          ...[...records.matchAll(/The (\w+) of the (\w+) is (\w+)\./g)].map(([, key, subject, value]) => `${subject}.${key} = ${value}`),
        ];
        return rows.filter(() => misses.next() < 0.9).join('\n') || 'nothing';
      }
      const name = [...text.matchAll(/Draw (\w+)\./g)].at(-1)?.[1] ?? '';
      const subject = new RegExp(`(\\w+)\\.alias: ${name}`, 'i').exec(text)?.[1] ?? new RegExp(`a (\\w+) called ${name}`).exec(text)?.[1];
      const facts = new Map<string, string>();
      for (const [, key, of, value] of text.matchAll(/The (\w+) of the (\w+) is (\w+)\./g)) if (of === subject) facts.set(key, value);
      for (const [, of, key, value] of text.matchAll(/(\w+)\.(\w+): (\w+)/g)) if (of === subject?.toLowerCase()) facts.set(key, value);
      return `Speech: ${[...facts].map(([key, value]) => `${key} ${value};`).join(' ') || 'I do not know it.'}`;
    },
  });
}

const [usualBriefs, questions] = [20, 5];

/** Who asks, and about how many briefs. */
interface Asking {
  readonly model?: Model;
  readonly briefs: number;
}

async function measureBeliefs(seeds: readonly number[], by: Asking = { briefs: usualBriefs }): Promise<readonly Figure[]> {
  const play = (knowledge: readonly string[]) => Promise.all(seeds.map((seed) => askBriefs(seed, knowledge, by)));
  const arms = await Promise.all([play(['beliefs']), play([])]);
  return Array.from({ length: questions }, (_, i) => {
    const after = (arm: readonly Asked[]) =>
      arm.map(
        ({ met, understood }): Arm => ({ value: met[i + 1], notes: by.model === undefined ? {} : { 'questions understood': understood } }),
      );
    return compareArms(`questions by the belief graph, after ${i + 1}`, 'of the brief is met', [after(arms[0]), after(arms[1])]);
  });
}

interface Asked {
  /** The share of the brief that is met after each answer. */
  readonly met: readonly number[];
  /** The share of questions that name a part of the brief. */
  readonly understood: number;
}

/** An agent with beliefs from an earlier conversation asks a user with a hidden brief. */
async function askBriefs(seed: number, knowledge: readonly string[], { model, briefs }: Asking): Promise<Asked> {
  const dice = rng(seed, 'briefs');
  const met = Array.from({ length: questions + 1 }, () => 0);
  let understood = 0;
  for (let brief = 0; brief < briefs; brief++) {
    const hidden = new Map(names.map((name) => [name, drawn(name, dice)]));
    let memory = emptyMemory;
    for (const [name, part] of hidden) {
      const key = `belief.${name}`;
      memory = remember(memory, { kind: 'fact', key, text: `${key}: ${beliefText(part, false)}`, owner: 'artist' }, 0);
    }
    const spec = { name: 'artist', kind: 'llm', settings: { lasting: true, memory: 'generative', knowledge, budget: 1500 } };
    const agent = await llmAgent({ spec, seat: 'artist', model: model ?? asking(seed, brief), lasting: async () => memory });
    const items: Seen[] = [{ kind: 'message', to: ['artist'], from: 'user', text: model === undefined ? plainRequest : requestFor }];
    const settled = new Set<string>();
    let mind: Json | undefined;
    for (let turn = 0; turn <= questions; turn++) {
      met[turn] += metBy(hidden, settled) / briefs;
      const turnRng = rng(seed, brief, turn);
      const reply = await agent.act(
        { view: { seat: 'artist', seen: [...items] }, ask: { seat: 'artist' }, rng: turnRng, ...(mind && { mind }) },
        signal,
      );
      mind = reply.mind;
      const name = model === undefined ? (/What of ([\w.>]+)\?/.exec(reply.action.text)?.[1] ?? '') : topicIn(reply.action.text);
      if (name !== '') understood += 1 / (briefs * (questions + 1));
      const part = hidden.get(name);
      if (part !== undefined) settled.add(name);
      const text = part === undefined ? 'I do not know.' : `Of ${name}: ${part.options[part.truth]}.`;
      items.push({ kind: 'action', action: reply.action }, { kind: 'message', to: ['artist'], from: 'user', text });
    }
  }
  return { met, understood };
}

const plainRequest = 'Draw what I have in mind. Ask first.';
const requestFor = `${plainRequest} Each time, ask me one short question about one of these: ${names.join(', ')}.`;

/** The part of the brief that a question is about: its name as it is written, or a thing with its attribute; empty if there is none. */
function topicIn(text: string): string {
  const question = text.toLowerCase();
  const topics = names.filter((name) => question.includes(name) || name.split(/[.>]/).every((word) => question.includes(word)));
  return topics.toSorted((a, b) => b.length - a.length)[0] ?? '';
}

/** Asks what its prompt says would settle most, else anything that it has not asked; notes what it is told. */
function asking(seed: number, brief: number) {
  const dice = rng(seed, 'asking', brief);
  return fakeModel({
    answers({ messages }) {
      const text = messages.map(({ content }) => String(content)).join('\n');
      const facts = [...text.matchAll(/Of ([\w.>]+): ([\w ]+)\./g)];
      const askedTopics = new Set(facts.map(([, name]) => name));
      const [, name = '', value = ''] = facts.at(-1) ?? [];
      const [, most, second] = [...text.matchAll(/settle most is ([\w.>]+)(?:, or ([\w.>]+) where)?/g)].at(-1) ?? [];
      const best = [most, second].find((name) => name !== undefined && !askedTopics.has(name));
      const note = name === '' ? '' : `\nRemember: belief.${name} = ${value} 100`;
      const next = best ?? dice.pick(names.filter((other) => !askedTopics.has(other)));
      return `Speech: What of ${next}?${note}`;
    },
  });
}

const kinds = ['mail', 'weather', 'money', 'calendar', 'music', 'maps', 'photos', 'recipes'];
const verbs = ['search', 'create', 'delete', 'share', 'print'];

async function measureRemoval(seeds: readonly number[]): Promise<Figure> {
  const arms: readonly [Arm[], Arm[]] = [[], []];
  for (const seed of seeds) {
    arms[0].push(await useTools(seed, 'model'));
    arms[1].push(await useTools(seed, 'rule'));
  }
  return compareArms('tools removed by a model, workflow', 'turns done', arms);
}

/** Thirty turns over forty tools; two in five only say "once more", for the tool of the turn before the last. */
async function useTools(seed: number, toolRemoval: 'rule' | 'model'): Promise<Arm> {
  const turns = 30;
  const dice = rng(seed, 'tools');
  const used: string[] = [];
  const tools = kinds.flatMap((kind) =>
    verbs.map((verb): Tool => {
      const name = `${verb}_${kind}`;
      const spec = { name, description: `Can ${verb} ${kind}.`, parameters: { type: 'object' } };
      const call = async () => {
        used.push(name);
        return { ok: true, text: 'done' };
      };
      return { spec, call };
    }),
  );
  let [wanted, recent]: [string, readonly string[]] = ['', []];
  const model = fakeModel({
    answers({ messages, tools: visible = [] }) {
      const last = String(messages.at(-1)?.content);
      if (String(messages[0]?.content).includes('"Drop: NAME')) {
        const names = [...last.matchAll(/^(\w+_\w+): Can/gm)].map(([, name]) => name);
        return `Drop: ${names.filter((name) => !recent.includes(name)).join(', ') || 'none'}`;
      }
      return visible.some(({ name }) => name === wanted) && !last.startsWith('Result of') ? `Tool: ${wanted} {}` : 'Speech: done';
    },
  });
  const settings = { architecture: 'react', toolMode: 'workflow', toolRemoval, toolCap: 8, memory: 'off' };
  const agent = await llmAgent({
    ...{ spec: { name: 'me', kind: 'llm', tools: ['box'], settings }, seat: 'me', model },
    tools: { open: async () => ({ tools, close: async () => undefined }) },
  });
  let mind: Json | undefined;
  let [done, calls, inContext] = [0, 0, 0];
  const questions: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const isAgain = turn > 1 && dice.next() < 0.4;
    wanted = isAgain ? questions[turn - 2] : `${dice.pick(verbs)}_${dice.pick(kinds)}`;
    questions.push(wanted);
    recent = questions.slice(-4);
    const text = isAgain ? 'And that other thing once more, please.' : `Please ${wanted.replace('_', ' ')}.`;
    const items: Seen[] = [{ kind: 'message', to: ['me'], text }];
    const before = used.length;
    const view = { seat: 'me', seen: items };
    const reply = await agent.act({ view, ask: { seat: 'me', window: 1 }, rng: rng(seed, turn), ...(mind && { mind }) }, signal);
    mind = reply.mind;
    calls += reply.calls?.length ?? 0;
    inContext += (mind as Mind).toolState?.active.length ?? 0;
    if (used.slice(before).includes(wanted)) done++;
  }
  const { added = 0, removed = 0 } = (mind as Mind | undefined)?.toolState ?? {};
  return {
    value: done / turns,
    notes: { 'calls a turn': calls / turns, 'tools in context': inContext / turns, 'removal ratio': removed / Math.max(1, added) },
  };
}
