/** @file Induces a rubric from people's comments on the episodes of a run. */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { Fault, type Model, type RunRecord, type Store } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import { list, object, readAs, required, type ShapeValue, words } from '@ludus-agents/kernel/internal/core/shape';
import { reasonOf } from '@ludus-agents/store/internal/files/read-failure';
import { readReviews } from '@ludus-agents/store/internal/reviews';
import { findEpisode } from '@ludus-agents/store/internal/stores';
import { loadJudge } from './judges.ts';
import { type Cover, induceMetrics, type Metric, type Remark } from './scoring/autolibra.ts';
import { controlReader, readerControls } from './scoring/autolibra-control.ts';
import { rubricOfMetrics } from './scoring/induced-rubric.ts';
import { type JudgeBudget, JudgeClient, type Tally } from './scoring/judges/ask.ts';
import type { ChecklistRubric } from './scoring/judges/rubric.ts';

const entry = object({ episode: required(words), feedback: required(words) });

/** One remark in a feedback file: an episode, or the first letters of its id, and the text. */
export type FeedbackEntry = ShapeValue<typeof entry>;

const feedbackShape = list(entry, { from: 1 });

/** Reads a feedback file: a JSON list, or one JSON object per line. */
export function readFeedback(file: string, cwd: string): readonly FeedbackEntry[] {
  const where = `The feedback ${file}`;
  let text: string;
  try {
    text = readFileSync(resolve(cwd, file), 'utf8');
  } catch (thrown) {
    throw new Fault('input', `${where} cannot be read: ${reasonOf(thrown)}.`, { code: 'E_UNREADABLE_FILE' });
  }
  const entries = text.trimStart().startsWith('[')
    ? jsonFrom(text, where)
    : text.split('\n').flatMap((line, i) => (line.trim() === '' ? [] : [jsonFrom(line, `${where}, line ${i + 1},`)]));
  return readAs(feedbackShape, entries, { where, called: 'a remark' });
}

/** The reasons that people gave with their labels ("ludus judge review") for episodes of the run. */
export async function reasonsOf(store: Store, run: RunRecord): Promise<readonly FeedbackEntry[]> {
  const feedbackEntries: FeedbackEntry[] = [];
  for (const { episode, against, reason = '' } of await readReviews(store))
    if (against === undefined && reason.trim() !== '' && (await store.episode(episode))?.run === run.id)
      feedbackEntries.push({ episode, feedback: reason });
  if (feedbackEntries.length === 0)
    throw new Fault(
      'input',
      `No label in ${run.id} has a reason. Add one with "ludus judge review EPISODE --label bad --reason TEXT", or pass a file with --feedback.`,
      { code: 'E_NOT_FOUND' },
    );
  return feedbackEntries;
}

/** The entries with their episodes, all of which must belong to the run. */
export async function remarksOf(store: Store, run: RunRecord, entries: readonly FeedbackEntry[]): Promise<readonly Remark[]> {
  const remarks: Remark[] = [];
  for (const { episode, feedback } of entries) {
    const episodeRecord = await findEpisode(store, episode);
    if (episodeRecord.run !== run.id)
      throw new Fault('input', `The feedback is about the episode ${episode}, which is not in run ${run.id}. Remove it, or use its run.`);
    remarks.push({ episode: { id: episodeRecord.id, events: await store.events(episodeRecord.id) }, feedback });
  }
  return remarks;
}

/** The model that reads feedback: "fake:honest" and "fake:constant" need none. */
export async function readerModel(name: string, remarks: readonly Remark[], cwd: string, trust: Trust): Promise<Model> {
  if (!name.startsWith('fake:')) return loadJudge(name, cwd, trust);
  const control = readerControls.find((readerControl) => `fake:${readerControl}` === name);
  if (control === undefined)
    throw new Fault(
      'input',
      `Unknown control "${name}" for feedback. Available: ${readerControls.map((readerControl) => `fake:${readerControl}`).join(', ')}, or a model.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  return controlReader(control, remarks);
}

/** The feedback to learn from, the model, and the limits. */
export interface InduceRequest {
  readonly remarks: readonly Remark[];
  readonly model: Model;
  /** The name of the rubric. */
  readonly name: string;
  /** Numbers of metrics to try. */
  readonly sizes: readonly number[];
  readonly budget?: JudgeBudget | undefined;
  readonly signal: AbortSignal;
}

/** Metrics, the rubric made from them, and how much of the feedback they cover. */
export interface InduceReport {
  readonly metrics: readonly Metric[];
  /** Null if no metrics could be parsed. */
  readonly rubric: ChecklistRubric | null;
  readonly cover: Cover | null;
  /** Remarks that produced metrics, and remarks that selected among them; without held-out remarks, these are the same. */
  readonly remarks: number;
  readonly heldOut: number;
  /** Questions without a readable answer, and the first parse error. */
  readonly unread: number;
  readonly problem: string | null;
  readonly tally: Tally;
}

/** With at least this many remarks, every third is held out. */
const enoughToHoldOut = 6;

/** Induces metrics from remarks and writes them as a checklist. */
export async function induceRubric({ remarks, model, name, sizes, budget, signal }: InduceRequest): Promise<InduceReport> {
  const isHeld = (i: number) => remarks.length >= enoughToHoldOut && i % 3 === 2;
  const currentRemarks = remarks.filter((_, i) => isHeld(i));
  const newRemarks = remarks.filter((_, i) => !isHeld(i));
  const desk = new JudgeClient({ model, budget });
  const problems: string[] = [];
  const match = await induceMetrics(newRemarks, {
    ...{ desk, sizes, signal, onUnread: (problem: string) => problems.push(problem) },
    ...(currentRemarks.length > 0 && { heldOut: currentRemarks }),
  });
  return {
    metrics: match?.metrics ?? [],
    rubric: match === null ? null : rubricOfMetrics(match.metrics, name),
    cover: match?.cover ?? null,
    ...{ remarks: newRemarks.length, heldOut: currentRemarks.length, problem: problems[0] ?? null, tally: desk.tally },
    unread: match?.unread ?? problems.length,
  };
}
