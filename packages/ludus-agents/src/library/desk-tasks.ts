/** @file `desk.tasks`: generates cases for a desk from its policy, from runs, and from human conversations. */

import { deskScene } from '@ludus-agents/desk/internal/desks';
import type { DeskDocument } from '@ludus-agents/desk/internal/environment/document';
import { makeCases } from '@ludus-agents/desk/internal/environment/make/index';
import { type MakeKind, makeKinds } from '@ludus-agents/desk/internal/environment/make/kinds';
import { type FailedTasks, suiteFromRun } from '@ludus-agents/desk/internal/failed-tasks';
import { type ImportedTasks, tasksFromImported } from '@ludus-agents/desk/internal/imported-tasks';
import { type WrittenCases, writeCases } from '@ludus-agents/desk/internal/write-cases';
import { writeKinds } from '@ludus-agents/desk/internal/write-kinds';
import { readConversations } from '@ludus-agents/evaluation/internal/conversations';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { speakingTasks } from '@ludus-agents/evaluation/internal/speaking';
import { suiteBehind } from '@ludus-agents/evaluation/internal/suites';
import { Fault, type Model } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { loadRun } from '@ludus-agents/store/internal/stores';
import { findDesk } from './desk.ts';
import { type CallOptions, type CallPlace, findModel, placeOf, type Ref, readStore, type StoreCallOptions } from './refs.ts';

/** The options of `desk.tasks.make`. */
export interface DeskTasksRequest extends CallOptions {
  readonly desk: Ref<DeskDocument>;
  /** Kinds of cases; by default all in which a customer talks: not `intent` and `quality`, which ask an agent about texts. */
  readonly kinds?: readonly string[] | undefined;
  /** Cases of each kind. */
  readonly each?: number | undefined;
  readonly seed?: number | undefined;
  /** A model that writes cases; without it, rules generate them. */
  readonly model?: Ref<Model> | undefined;
  readonly reviewer?: Ref<Model> | undefined;
  readonly rounds?: number | undefined;
}

/** Cases as a suite, the number of each kind, and the rejected ones. */
export interface DeskTasks extends WrittenCases {
  readonly suite: SuiteInput;
  readonly counts: Readonly<Record<string, number>>;
  /** Safe answers as conversations to train on. */
  readonly lessons: readonly { readonly messages: readonly { readonly role: string; readonly content: string }[] }[];
}

/** Makes cases from a desk, each proved by its gold calls. */
export async function make(request: DeskTasksRequest, place: CallPlace = placeOf(request)): Promise<DeskTasks> {
  const desk = findDesk(request.desk, place);
  const cases = await casesFor(desk, request, place);
  const { kept, down, safe } = cases;
  if (kept.length === 0)
    throw new Fault(
      'input',
      `No tasks could be made from ${desk.name}: ${down[0]?.why.replace(/[.]$/, '') ?? 'it needs cases with gold calls, customers with several records, and rules on lines of their own'}.`,
    );
  const { tasks: _, ...plain } = desk;
  const groups = [...Map.groupBy(kept, ({ probe }) => probe)];
  const suite: SuiteInput = {
    name: `${desk.name}-made`.slice(0, 60),
    about: `Cases made from ${desk.name}: ${groups.map(([probe]) => probe).join(', ')}.`,
    seeds: 1,
    nulls: ['scripted:do-nothing', 'scripted:always-refuse'],
    scenes: groups.map(([probe, group]) => {
      const scene = deskScene(
        probe,
        group.map((deskCase) => ({ case: deskCase, desk: plain })),
      );
      // Pairs are scored by the number found, so half of them is better than none.
      if (probe === 'knowledge: pairs') return { ...scene, score: 'pairs', pass: 1 };
      return probe === 'ambiguous' || probe === 'clear' ? { ...scene, also: [...(scene.also ?? []), 'clarity'] } : scene;
    }),
  };
  const lessons = safe.map(({ request, answer }) => ({
    messages: [
      { role: 'system', content: desk.policy },
      { role: 'user', content: request },
      { role: 'assistant', content: answer },
    ],
  }));
  return { ...cases, suite, counts: Object.fromEntries(groups.map(([probe, group]) => [probe, group.length])), lessons };
}

/** The kinds in which a customer talks. A bot can't be asked to classify a message or to judge a transcript. */
const talkingKinds: readonly MakeKind[] = makeKinds.filter((kind) => kind !== 'intent' && kind !== 'quality');

/** Cases by rules, or by a model and rules. */
async function casesFor(desk: DeskDocument, request: DeskTasksRequest, place: CallPlace): Promise<WrittenCases> {
  const { each = 20, seed = 1, rounds = 3, model, reviewer, signal = new AbortController().signal } = request;
  if (model === undefined) {
    const kinds = request.kinds === undefined ? talkingKinds : checkKinds<MakeKind>(request.kinds, makeKinds);
    return { ...makeCases(desk, { kinds, each, seed }), safe: [], calls: 0, rewritten: 0, unread: 0 };
  }
  return writeCases(desk, {
    ...{ kinds: checkKinds(request.kinds, writeKinds), each, rounds, seed, signal },
    model: await findModel(model, place),
    reviewer: reviewer === undefined ? undefined : await findModel(reviewer, place),
  });
}

function checkKinds<Kind extends string>(kinds: readonly string[] | undefined, all: readonly Kind[]): readonly Kind[] {
  return (kinds ?? all).map((name) => {
    const kind = all.find((item) => item === name);
    if (kind === undefined)
      throw new Fault('input', `Unknown kind "${name}". Available: ${all.join(', ')}.${didYouMean(name, all)}`, { code: 'E_UNKNOWN_NAME' });
    return kind;
  });
}

/** The options of `desk.tasks.from`. */
export interface TasksFromRunRequest extends StoreCallOptions {
  readonly run: string;
  /** Only tasks that failed. */
  readonly failed?: boolean | undefined;
  /** Only tasks whose pass rate is in this range. */
  readonly rate?: readonly [number, number] | undefined;
  readonly agent?: string | undefined;
  /** The suite of the run, if it cannot be found by its name. */
  readonly suite?: string | undefined;
  /** Words to remove from imported conversations, besides personal data. */
  readonly redact?: readonly string[] | undefined;
}

/** The tasks of a run as a suite; for imported conversations, with removed parts. The suite is null if there is nothing to write. */
export type TasksFromRun = { readonly run: string } & (
  | ({ readonly imported: false } & FailedTasks)
  | ({ readonly imported: true } & ImportedTasks)
);

/** Turns the tasks of a run into a suite, so failed tasks are played again. */
export async function from(request: TasksFromRunRequest, place: CallPlace = placeOf(request)): Promise<TasksFromRun> {
  const { failed = false, rate, agent, redact = [] } = request;
  return readStore(request, place, async (store): Promise<TasksFromRun> => {
    const { id: run } = await loadRun(store, request.run);
    const [first] = await store.episodes({ run, limit: 1 });
    if (first?.environment.startsWith('relay@') === true) {
      if (rate !== undefined)
        throw new Fault('input', '--rate needs tasks with several attempts, but imported conversations have one. Remove it.');
      return { run, imported: true, ...(await tasksFromImported(store, { run, failed, redact })) };
    }
    const suite = await suiteBehind(run, request.suite, { store, cwd: place.cwd, trust: place.trust });
    return { run, imported: false, ...(await suiteFromRun(store, { run, failed, rate, agent, known: suite })) };
  });
}

/** The options of `desk.tasks.observe`. */
export interface ObserveTasksRequest extends CallOptions {
  /** A file of conversations. */
  readonly conversations: string;
  readonly limit?: number | undefined;
}

/** Points in conversations as a suite, and the number of points where people were silent. */
export interface ObserveTasks {
  readonly suite: SuiteInput;
  readonly places: number;
  readonly silent: number;
}

/** Turns human conversations into points where a simulated user must speak or stay silent. */
export async function observe(request: ObserveTasksRequest, place: CallPlace = placeOf(request)): Promise<ObserveTasks> {
  const { conversations, limit = 200 } = request;
  const all = (await readConversations(conversations, place.cwd)).flatMap(speakingTasks);
  if (all.length === 0) throw new Fault('input', `${conversations} has no turn where a user speaks after someone else.`);
  const step = Math.max(1, all.length / limit);
  const tasks = Array.from({ length: Math.min(all.length, limit) }, (_, i) =>
    all.slice(Math.floor(i * step), Math.floor(i * step) + 1),
  ).flat();
  const suite: SuiteInput = {
    name: 'observe',
    about: 'Turns from conversations of people. Does a simulated user speak where they did, and only there?',
    seeds: 1,
    nulls: ['scripted:watch', 'scripted:character'],
    scenes: [{ environment: 'next-line', seats: ['character'], tasks, scale: [0, 1], pass: 1 }],
  };
  return { suite, places: tasks.length, silent: tasks.filter(({ source }) => source === '').length };
}
