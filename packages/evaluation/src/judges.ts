/** @file Resolves judges by their command-line names: a model's name, or a control judge of known quality. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { readConfigIn } from '@ludus-agents/agents/internal/workspace/config';
import { loadModel } from '@ludus-agents/agents/internal/workspace/loaders';
import { isFileModel } from '@ludus-agents/agents/internal/workspace/models';
import { findNameResolver } from '@ludus-agents/agents/internal/workspace/name-resolvers';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { count, formatGrouped } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Model } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { controlWords, faults } from './control-words.ts';
import { Fingerprints, type Source } from './fingerprint.ts';
import { loadRubric } from './loaders.ts';
import type { ScoreFailure } from './scoring/failures.ts';
import { createJudge, type Judge, parseFailureRate, type Rubric } from './scoring/judges/index.ts';
import { controlJudge, controlNames } from './scoring/trust/index.ts';
import type { KeptCard } from './scoring/trust/use.ts';
import { fileSource } from './source-notes.ts';

type LoadModel = (name: string) => Promise<Model>;

/**
 * A model that judges or reads feedback: one of the configuration's judges, or any model. A program or a checkpoint has a fingerprint:
 * after a change it counts as another judge.
 */
export async function loadJudge(name: string, cwd: string, trust: Trust, load?: LoadModel): Promise<Model> {
  const { model: meant, trust: origin } = await modelOfJudge(name, { cwd, trust });
  const model = load === undefined ? await loadModel(meant, cwd, origin) : await load(meant);
  if (!isFileModel(meant) && (await findNameResolver('models', meant, cwd)) === null) return model;
  const { hash: version } = await new Fingerprints({ cwd, trust: origin }).model(meant);
  const { id, tokens, context } = model;
  return {
    ...{ ...model, id, version, complete: (...call) => model.complete(...call) },
    ...(tokens === undefined ? {} : { tokens }),
    ...(context === undefined ? {} : { context: () => context.call(model) }),
  };
}

/** The model for the name of a judge, and where the name was defined. */
async function modelOfJudge(
  name: string,
  { cwd, trust }: Pick<JudgePlace, 'cwd' | 'trust'>,
): Promise<{ readonly model: string; readonly trust: Trust }> {
  const configured = (await readConfigIn(cwd)).kinds?.['judges'] ?? {};
  return Object.hasOwn(configured, name) ? { model: configured[name], trust: Trust.configuration } : { model: name, trust };
}

/** The source of a judge's model, and the reason why its identity can't be verified; undefined if it can be. */
async function printJudge(
  name: string,
  place: JudgePlace,
): Promise<{ readonly why: string | undefined; readonly sources: readonly Source[] }> {
  if (name.startsWith('fake')) return { why: undefined, sources: [] };
  const { model, trust } = await modelOfJudge(name, place);
  const prints = new Fingerprints({ cwd: place.cwd, trust });
  const { unpinned } = await prints.model(model);
  return { why: unpinned.length === 0 ? undefined : unpinned.join('; '), sources: prints.sources };
}

/** The folder in which judges and rubrics are looked up, the origin of the names, and an optional model loader. */
export interface JudgePlace {
  readonly cwd: string;
  readonly trust: Trust;
  readonly load?: LoadModel | undefined;
}

/** The model that judges by a rubric; "fake:honest" and the other controls need no model. */
export async function judgeModel(name: string, rubric: Rubric, { cwd, trust, load }: JudgePlace): Promise<Model> {
  if (!name.startsWith('fake:')) return loadJudge(name, cwd, trust, load);
  const wanted = name.slice('fake:'.length);
  const control =
    controlNames.find((controlName) => controlName === wanted) ?? (Object.hasOwn(faults, wanted) ? faults[wanted] : undefined);
  if (control === undefined)
    throw new Fault(
      'input',
      `Unknown control judge "${name}". Available: ${controlWords.join(', ')}, or a model.${didYouMean(name, controlWords)}`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return controlJudge(control, rubric);
}

/** A trust card from a file, as `ludus judge trust --json` printed it. */
export function cardFrom(file: string | undefined, cwd: string): KeptCard | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `The trust card ${file} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  const card = jsonFrom(text, `The trust card ${file}`) as Partial<KeptCard> | null;
  const { grade, rubricHash, judgeHash, reasons } = card ?? {};
  if (grade === undefined || rubricHash === undefined || judgeHash === undefined || !Array.isArray(reasons))
    throw new Fault('input', `${file} is not a trust card. Save the output of "ludus judge trust --json".`);
  return { grade, rubricHash, judgeHash, reasons };
}

/** A rubric and a model that judges by it, each itself or by name. */
export interface JudgeChoice {
  readonly rubric?: string | Rubric | undefined;
  readonly judge?: string | Model | undefined;
}

async function findRubric(rubric: string | Rubric, { cwd, trust }: JudgePlace): Promise<Rubric> {
  return typeof rubric === 'string' ? loadRubric(rubric, cwd, trust) : rubric;
}

async function findJudge(judge: string | Model, rubric: Rubric, place: JudgePlace): Promise<Model> {
  return typeof judge === 'string' ? judgeModel(judge, rubric, place) : judge;
}

/** The judge for `--rubric` and `--judge`; undefined unless both are given. */
export async function judgesFor({ rubric: wanted, judge }: JudgeChoice, place: JudgePlace): Promise<readonly Judge[]> {
  if (wanted === undefined && judge === undefined) return [];
  if (wanted === undefined || judge === undefined)
    throw new Fault('input', 'A judge needs both --rubric (what to judge) and --judge (the model that judges).');
  const rubric = await findRubric(wanted, place);
  if (rubric.form === 'pairwise')
    throw new Fault(
      'input',
      `The rubric "${typeof wanted === 'string' ? wanted : rubric.name}" compares two episodes, so it cannot score a single one. Add --against RUN, or choose another rubric.`,
    );
  const print = typeof judge === 'string' ? await printJudge(judge, place) : { why: 'an object in memory has no fingerprint', sources: [] };
  const created = createJudge(rubric, { model: await findJudge(judge, rubric, place), unpinned: print.why });
  judgeSources.set(created, [...fileSource(wanted), ...print.sources]);
  return [created];
}

const judgeSources = new WeakMap<Judge, readonly Source[]>();

/** The files of the rubric and the model that a judge was made from. */
export function sourcesOfJudge(judge: Judge): readonly Source[] {
  return judgeSources.get(judge) ?? [];
}

/** The judge of a pairwise rubric. */
export async function pairwiseJudge({ rubric: wanted, judge }: JudgeChoice, place: JudgePlace): Promise<Judge> {
  if (wanted === undefined || judge === undefined)
    throw new Fault('input', 'A comparison needs --rubric with a pairwise rubric, such as furina, and --judge with a model.', {
      code: 'E_MISSING_OPTION',
    });
  const rubric = await findRubric(wanted, place);
  if (rubric.form !== 'pairwise')
    throw new Fault(
      'input',
      `The rubric "${typeof wanted === 'string' ? wanted : rubric.name}" scores single episodes, but --against needs a pairwise rubric, such as furina.`,
    );
  return createJudge(rubric, { model: await findJudge(judge, rubric, place) });
}

export interface JudgeUsage {
  readonly judge: string;
  readonly rubric: string;
  readonly replies: number;
  /** The share of replies that could not be parsed; null if the judge was not asked. */
  readonly unreadable: number | null;
}

/** Counts how often each judge was asked and how often its reply could not be parsed: a missing answer must not look like agreement. */
export function judgeUsageOf(judges: readonly Judge[]): readonly JudgeUsage[] {
  return judges.map(({ model, rubric, tally }) => ({
    ...{ judge: model, rubric: rubric.name, replies: tally.replies },
    unreadable: parseFailureRate(tally),
  }));
}

/** The scores that were computed with the judges. */
export interface JudgedWork {
  /** Of these, the scores whose verdicts were already stored. */
  readonly restored?: number;
  readonly scored: number;
  readonly before: number;
  readonly failures: readonly ScoreFailure[];
}

/** A sentence for each judge that gave no readable reply although one was needed. Scores with stored verdicts need none. */
export function silentJudges(
  judgeUsages: readonly JudgeUsage[],
  { scored, before, restored = 0, failures }: JudgedWork,
): readonly string[] {
  if (scored === restored && before + restored > 0) return [];
  return judgeUsages.flatMap(({ judge, rubric, replies, unreadable }) => {
    if (unreadable === 1) return [`None of the ${count(replies, 'answer')} of ${judge} on ${rubric} could be read.`];
    if (replies > 0) return [];
    const why = failures.find(({ scorer }) => scorer === `judge/${rubric}`)?.reason ?? `no episode has anything that ${rubric} applies to`;
    return [`${judge} gave 0 answers on ${rubric}: ${why.replace(/[.]$/, '')}.`];
  });
}

/** Reports that verdicts were requested again, and how to keep the stored ones. */
export function judgedAgainText(judgeUsages: readonly JudgeUsage[], episodes: number): string {
  const names = judgeUsages.map(({ judge }) => judge).join(', ');
  return `judge ${names} may have changed since (its name has no revision): ${count(episodes, 'episode')} ${episodes === 1 ? 'is' : 'are'} judged again; --reuse keeps the verdicts.`;
}

/** Reports that verdicts are by another version of a judge. */
export function otherJudgeText(judgeUsages: readonly JudgeUsage[], episodes: number): string {
  const names = judgeUsages.map(({ judge, rubric }) => `${judge} on ${rubric}`).join(', ');
  return `judge ${names} changed since (the rubric, the model, or its settings): ${count(episodes, 'episode')} ${episodes === 1 ? 'is' : 'are'} judged again.`;
}

/** Reports that verdicts of an earlier version of a judge count again because that version is the current one. */
export function restoredText(judgeUsages: readonly JudgeUsage[], episodes: number): string {
  const names = judgeUsages.map(({ judge, rubric }) => `${judge} on ${rubric}`).join(', ');
  return `judge ${names} is what it was before: its stored verdicts on ${count(episodes, 'episode')} count again.`;
}

export function formatJudgeUsage({ judge, rubric, replies, unreadable }: JudgeUsage): string {
  const lost = Math.round(replies * (unreadable ?? 0));
  return `${judge} gave ${count(replies, 'answer')} on ${rubric}; ${formatGrouped(lost)} could not be read.`;
}
