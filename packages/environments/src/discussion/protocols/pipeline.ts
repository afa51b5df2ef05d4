/**
 * @file A pipeline: modules as data, run in order by one or more members. The last module answers. Lines that a module `keep`s are passed
 * to all modules of later turns. A module can group others (`modules`), run only every n turns, run only after a line was or was not
 * written, or run only while predictions come true. Each module can be switched off by name to measure its effect.
 */

import { Fault, type Json, type JsonObject, plainText, type Seat } from '@ludus-agents/kernel/internal/core/index';
import {
  anything,
  boolean,
  list,
  number,
  object,
  one,
  optional,
  readAs,
  required,
  type ShapeValue,
  text,
  whole,
  words,
} from '@ludus-agents/kernel/internal/core/shape';
import { answerWords, type Discussion, type DiscussionResult, type Protocol, recordFrom, speechesOf } from '../protocol.ts';
import { lineIn } from '../speech.ts';
import { actionSpace, knowledgeWords, type Skills, skillsOf, skillWords } from './pipeline-parts.ts';
import { afterObservation, isTrusted, lastOutcome, noveltyIn, predictionShare } from './predictions.ts';

export const moduleShape = object({
  name: required(words),
  /** The prompt for its member. Modules that group others need none. */
  tell: optional(text),
  by: optional(words),
  /** Labels whose lines are stored for later turns. */
  keep: optional(list(words)),
  /** Runs in the first turn, then once every this many turns. */
  every: optional(whole(1)),
  /**
   * "Label: prefix": runs only if the latest line with this label, from this turn or stored, starts with the prefix. `unless` is the
   * inverse.
   */
  when: optional(words),
  unless: optional(words),
  /** Runs only while at least this share of the last twenty predictions came true. */
  trust: optional(number(0, 1)),
  /** "miss": runs only if the last prediction did not come true. */
  after: optional(one('miss')),
  /** The modules of this turn that it hears. Defaults to all that ran before it. */
  hears: optional(list(words)),
  modules: optional(list(anything, { from: 1 })),
  /**
   * "write": its member sees the procedures and can write and start them. "auto": a procedure that matches the situation runs without
   * asking a member.
   */
  skills: optional(one('write', 'auto')),
  /** The number of best-matching lines of the team's knowledge to include. */
  knowledge: optional(whole(0)),
  /** A program in its answer is run, and the output is added. */
  code: optional(boolean),
  /** A move in its answer is made at once, without asking later modules. */
  moves: optional(boolean),
  /**
   * `space`: after it ran, only moves that start with one of these are available. `narrow`: only this many, those most similar to its
   * answer.
   */
  space: optional(list(words)),
  narrow: optional(whole(1)),
});

export type PipelineModule = ShapeValue<typeof moduleShape>;

/** Maximum characters stored under one label. */
const longestKept = 2000;

export const pipeline: Protocol = {
  about:
    'modules as data, in their order, each of which can be switched off; the last makes the move (Cradle, Pangu-Agent, PoAct, GITM, HLA, IDEA)',

  next(discussion) {
    const { said, lead } = discussion;
    const modules = readModules(discussion);
    const skills = skillsOf(discussion, modules);
    if (said.length === 0 && skills.move !== null)
      return { result: { answer: skills.move, memory: memoryOf(discussion, modules, skills), acted: skills.acted } };
    const ran = said.at(-1)?.part;
    const from = ran === undefined ? 0 : modules.findIndex(({ name }) => name === ran) + 1;
    const before = modules[from - 1];
    const isMove = before?.moves === true && (said.at(-1)?.answer ?? null) !== null;
    if (from >= modules.length || isMove || skills.move !== null) return { result: resultOf(discussion, modules, skills) };
    const at = modules.findIndex((module, i) => i >= from && (i === modules.length - 1 || runs(discussion, module)));
    const module = modules[at];
    const isLast = at === modules.length - 1;
    const hears = speechesOf(discussion, ({ part }) => module.hears === undefined || module.hears.includes(part));
    const notes = at === firstThatRuns(discussion, modules) || module.by !== undefined ? notesOf(discussion) : '';
    const more = `${knowledgeWords(discussion, module)}${module.skills === 'write' ? skillWords(skills.library, discussion) : ''}`;
    const moves = isLast || module.moves === true ? actionSpace(discussion, modules) : [];
    const form = isLast || module.moves === true ? ` ${answerWords(discussion)}` : '';
    return {
      asks: [
        {
          ...{ seat: module.by ?? lead, part: module.name, tell: `${notes}${more}${module.tell ?? ''}${form}`, hears },
          ...(moves.length === 0 ? {} : { choices: moves }),
          ...(isLast ? { act: true as const } : {}),
          ...(module.code === true ? { code: true as const } : {}),
        },
      ],
    };
  },
};

/** Default modules: think, then act. */
const usual: Json = [
  { name: 'think', tell: 'Say what you know, and what follows from it.' },
  { name: 'act', tell: 'Act.' },
];

/** Returns the modules of a task in order, without those that are switched off. Throws if the modules are invalid. */
export function readModules({ members, settings }: Pick<Discussion, 'members' | 'settings'>): readonly PipelineModule[] {
  const { modules = usual, off = [] } = settings;
  if (!Array.isArray(modules) || modules.length === 0)
    throw new Fault(
      'input',
      'A pipeline needs "modules", a list such as [{"name": "plan", "tell": "Write a plan."}, {"name": "act", "tell": "Act."}].',
    );
  const gone = Array.isArray(off) ? off : [];
  const all = (modules as readonly Json[]).flatMap((module) => flatten(module, members));
  const knownNames = new Set(all.flatMap(({ groups }) => groups));
  const stray = gone.find((name) => !knownNames.has(plainText(name)));
  if (stray !== undefined)
    throw new Fault('input', `Unknown module "${plainText(stray)}" in "off". Available: ${[...knownNames].join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const left = all.filter(({ groups }) => !groups.some((name) => gone.includes(name)));
  const names = left.map(({ module }) => module.name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new Fault('input', `Two modules are called "${twice}". Give them different names.`);
  if (left.at(-1) !== all.at(-1))
    throw new Fault('input', `The module "${all.at(-1)?.module.name}" gives the answer, so it cannot be switched off.`);
  return left.map(({ module }) => module);
}

interface Flat {
  readonly module: PipelineModule;
  /** The names of the module and of the modules that contain it. */
  readonly groups: readonly string[];
}

/** Flattens a module and its nested modules. Each nested module inherits the conditions that it doesn't set itself. */
function flatten(
  input: Json,
  members: readonly Seat[],
  around: Partial<PipelineModule> = {},
  groups: readonly string[] = [],
): readonly Flat[] {
  const { modules, ...moduleFields } = readAs(moduleShape, input, { where: 'modules', called: 'a module' });
  if (moduleFields.by !== undefined && !members.includes(moduleFields.by))
    throw new Fault(
      'input',
      `The module "${moduleFields.name}" is assigned to "${moduleFields.by}", who is not a member. Members: ${members.join(', ')}.`,
    );
  const module: PipelineModule = { ...around, ...moduleFields };
  const within = [...groups, module.name];
  if (modules === undefined) {
    if (moduleFields.tell === undefined)
      throw new Fault('input', `The module "${moduleFields.name}" needs "tell": the instruction for its member.`);
    return [{ module, groups: within }];
  }
  const { name: _, tell: __, keep: ___, hears: ____, ...conditions } = module;
  return modules.flatMap((module) => flatten(module, members, conditions, within));
}

function runs(discussion: Discussion, { every = 1, when, unless, trust, after }: PipelineModule): boolean {
  if (discussion.turn % Math.max(1, every) !== 0) return false;
  if (when !== undefined && !holds(discussion, when)) return false;
  if (unless !== undefined && holds(discussion, unless)) return false;
  if (after === 'miss' && lastOutcome(earlierLines(discussion), discussion.settings) !== false) return false;
  return trust === undefined || isTrusted(earlierLines(discussion), discussion.settings, trust);
}

function firstThatRuns(discussion: Discussion, modules: readonly PipelineModule[]): number {
  const index = modules.findIndex((module) => runs(discussion, module));
  return index < 0 ? modules.length - 1 : index;
}

/** Returns whether the latest line with the condition's label starts with the condition's prefix. */
function holds(discussion: Discussion, condition: string): boolean {
  const cut = condition.indexOf(':');
  const [label, wanted] = [
    condition.slice(0, cut),
    condition
      .slice(cut + 1)
      .trim()
      .toLowerCase(),
  ];
  const line =
    discussion.said.map(({ text }) => lineIn(text, label)).findLast((item) => item !== null) ?? earlierLines(discussion)[label] ?? '';
  return line.toLowerCase().startsWith(wanted) && line !== '';
}

function earlierLines(discussion: Discussion): Readonly<Record<string, string>> {
  return recordFrom(discussion, 'lines') as Readonly<Record<string, string>>;
}

/** Returns the notes of earlier turns, which start every prompt. */
function notesOf(discussion: Discussion): string {
  const retainedEntries = Object.entries(earlierLines(discussion)).filter(([label]) => !label.startsWith('#'));
  const lines = retainedEntries.map(([label, text]) => `${label}: ${text}`);
  const share = predictionShare(earlierLines(discussion), discussion.settings);
  if (share !== null) lines.push(`Of your last ${share.of} predictions ${Math.round(share.right * share.of)} came true.`);
  const novelty = noveltyIn(earlierLines(discussion), discussion.settings);
  if (novelty !== null)
    lines.push(novelty === 1 ? 'You have not seen this before.' : `You have seen this before (new by ${novelty.toFixed(2)}).`);
  return lines.length === 0 ? '' : `From earlier turns you know:\n${lines.join('\n')}\n`;
}

function resultOf(discussion: Discussion, modules: readonly PipelineModule[], skills: Skills): DiscussionResult {
  const { said, settings, choices } = discussion;
  const before = earlierLines(discussion);
  const predicted = predictionShare(before, settings);
  const novelty = noveltyIn(before, settings);
  const missed = lastOutcome(before, settings);
  const space = actionSpace(discussion, modules);
  return {
    answer: skills.move ?? said.at(-1)?.answer ?? '',
    memory: memoryOf(discussion, modules, skills),
    acted: {
      ...Object.fromEntries(said.map(({ part }) => [`ran ${part}`, 1])),
      ...skills.acted,
      ...(modules.some(({ space: only, narrow }) => only !== undefined || narrow !== undefined)
        ? { narrowed: space.length < choices.length ? 1 : 0 }
        : {}),
      ...(missed === null ? {} : { predicted: 1, missed: missed ? 0 : 1 }),
      ...programsIn(said, modules),
    },
    ...(predicted === null ? {} : { predicted }),
    ...(novelty === null ? {} : { novelty }),
  };
}

/** Counts the programs that ran in this turn, and those that failed. */
function programsIn(speeches: Discussion['said'], modules: readonly PipelineModule[]): { readonly [name: string]: number } {
  const names = modules.filter(({ code }) => code === true).map(({ name }) => name);
  if (names.length === 0) return {};
  const texts = speeches.filter(({ part }) => names.includes(part)).map(({ text }) => text);
  return {
    programs: texts.filter((text) => lineIn(text, 'output') !== null || lineIn(text, 'error') !== null).length,
    failedPrograms: texts.filter((text) => lineIn(text, 'error') !== null).length,
  };
}

/** Returns the memory for later turns: stored lines by label, and the library of procedures. */
function memoryOf(discussion: Discussion, modules: readonly PipelineModule[], skills: Skills): JsonObject {
  const { said, settings } = discussion;
  const lines: Record<string, string> = { ...afterObservation(earlierLines(discussion), settings) };
  for (const { name, keep = [] } of modules)
    for (const label of keep) {
      const text = lineIn(said.find(({ part }) => part === name)?.text ?? '', label);
      if (text !== null) lines[label] = text.slice(0, longestKept);
    }
  const { library, running, finished, dropped } = skills;
  return {
    ...(Object.keys(lines).length === 0 ? {} : { lines }),
    ...(library.length === 0 ? {} : { procedures: library }),
    ...(dropped.length === 0 ? {} : { dropped }),
    ...(running === null ? {} : { running: running }),
    ...(finished === '' ? {} : { finished }),
  };
}
