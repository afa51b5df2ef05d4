/** @file Judges by the words of a command line: a model's name, or a control judge whose quality is known beforehand. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { count, formatGrouped } from '../core/format.ts';
import { Fault, type Model } from '../core/index.ts';
import { jsonFrom } from '../core/outside.ts';
import { didYouMean } from '../core/suggest.ts';
import { reasonOf } from '../files/read-failure.ts';
import type { ScoreFailure } from '../scoring/failures.ts';
import { createJudge, type Judge, parseFailureRate, type Rubric } from '../scoring/judges/index.ts';
import { controlJudge, controlNames } from '../scoring/trust/index.ts';
import type { KeptCard } from '../scoring/trust/use.ts';
import { readConfigIn } from './config.ts';
import { controlWords, faults } from './control-words.ts';
import { loadRubric } from './evaluation-loaders.ts';
import { loadModel } from './loaders.ts';

type LoadModel = (name: string) => Promise<Model>;

/** A model that judges or reads feedback: one of the configuration's judges, or any model. */
export async function loadJudge(name: string, cwd: string, load: LoadModel = (model) => loadModel(model, cwd)): Promise<Model> {
  const own = (await readConfigIn(cwd)).kinds?.['judges'] ?? {};
  return load(Object.hasOwn(own, name) ? own[name]! : name);
}

/** The model that judges by a rubric; "fake:honest" and the other controls need none. */
export async function judgeModel(name: string, rubric: Rubric, cwd: string = process.cwd(), load?: LoadModel): Promise<Model> {
  if (!name.startsWith('fake:')) return loadJudge(name, cwd, load);
  const wanted = name.slice('fake:'.length);
  const control = controlNames.find((one) => one === wanted) ?? (Object.hasOwn(faults, wanted) ? faults[wanted] : undefined);
  if (control === undefined)
    throw new Fault(
      'input',
      `There is no control judge "${name}"; there are ${controlWords.join(', ')}, or name a model.${didYouMean(name, controlWords)}`,
    );
  return controlJudge(control, rubric);
}

/** A trust card from a file, as `ludus trust --json` printed it. */
export function cardFrom(file: string | undefined, cwd: string): KeptCard | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The trust card ${file} cannot be read: ${reasonOf(thrown)}.`);
  }
  const card = jsonFrom(text, `The trust card ${file}`) as unknown as Partial<KeptCard> | null;
  const { grade, rubricHash, judgeHash, reasons } = card ?? {};
  if (grade === undefined || rubricHash === undefined || judgeHash === undefined || !Array.isArray(reasons))
    throw new Fault('input', `The trust card ${file} is none: keep what "ludus trust --json" prints.`);
  return { grade, rubricHash, judgeHash, reasons };
}

/** The judge that `--rubric` and `--judge` ask for; none unless both are given. */
export async function judgesFor(
  { rubric, judge }: { readonly rubric?: string; readonly judge?: string },
  cwd?: string,
): Promise<readonly Judge[]> {
  if (rubric === undefined && judge === undefined) return [];
  if (rubric === undefined || judge === undefined)
    throw new Fault('input', 'A judge needs both --rubric, what it is to look at, and --judge, the model that does.');
  const known = await loadRubric(rubric, cwd);
  if (known.form === 'pairwise')
    throw new Fault('input', `The rubric "${rubric}" compares two episodes, and cannot score one; add --against RUN, or choose another.`);
  return [createJudge(known, { model: await judgeModel(judge, known, cwd) })];
}

/** The judge of a pairwise rubric. */
export async function pairwiseJudge(
  { rubric, judge }: { readonly rubric?: string; readonly judge?: string },
  cwd?: string,
): Promise<Judge> {
  if (rubric === undefined || judge === undefined)
    throw new Fault('input', 'A comparison needs --rubric with a pairwise rubric, like furina, and --judge, the model that compares.');
  const known = await loadRubric(rubric, cwd);
  if (known.form !== 'pairwise')
    throw new Fault('input', `The rubric "${rubric}" scores one episode; --against takes a pairwise one, like furina.`);
  return createJudge(known, { model: await judgeModel(judge, known, cwd) });
}

export interface JudgeUsage {
  readonly judge: string;
  readonly rubric: string;
  readonly replies: number;
  /** The share of replies that could not be read; null where the judge was not asked. */
  readonly unreadable: number | null;
}

/** How often each judge was asked and could not be read: a missing answer must not look like agreement. */
export function judgeUsageOf(judges: readonly Judge[]): readonly JudgeUsage[] {
  return judges.map(({ model, rubric, tally }) => ({
    ...{ judge: model, rubric: rubric.name, replies: tally.replies },
    unreadable: parseFailureRate(tally),
  }));
}

/** What was scored while the judges were there. */
export interface JudgedWork {
  readonly scored: number;
  readonly before: number;
  readonly failures: readonly ScoreFailure[];
}

/** Judges that gave no reply where some was wanted, a sentence each. What had its verdicts before wants none. */
export function silentJudges(heard: readonly JudgeUsage[], { scored, before, failures }: JudgedWork): readonly string[] {
  if (scored === 0 && before > 0) return [];
  return heard.flatMap(({ judge, rubric, replies }) => {
    if (replies > 0) return [];
    const why = failures.find(({ scorer }) => scorer === `judge/${rubric}`)?.reason ?? `no episode has anything that ${rubric} applies to`;
    return [`${judge} gave 0 answers on ${rubric}: ${why.replace(/[.]$/, '')}.`];
  });
}

export function formatJudgeUsage({ judge, rubric, replies, unreadable }: JudgeUsage): string {
  const lost = Math.round(replies * (unreadable ?? 0));
  return `${judge} gave ${count(replies, 'answer')} on ${rubric}; ${formatGrouped(lost)} could not be read.`;
}
