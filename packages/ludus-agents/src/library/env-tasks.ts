/** @file `env.tasks`: generates tasks for built-in environments from your material, as suites. */

import { dirname, resolve } from 'node:path';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { proveIdea } from '@ludus-agents/environments/internal/quest-world/idea-quest';
import { writeIdea } from '@ludus-agents/environments/internal/quest-world/write-idea';
import { type RepairTasks, readRepairTasks } from '@ludus-agents/evaluation/internal/repair-tasks';
import type { SuiteInput } from '@ludus-agents/evaluation/internal/scoring/suites/index';
import { type AnyEnvironment, Fault, isObject, type Json, type Model, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { CheckFigures, PlantedTask } from '@ludus-agents/learning/internal/curricula/proposers/planted';
import { measureChecks, plantTasks } from '@ludus-agents/learning/internal/curricula/proposers/planted';
import { seatingOf } from '@ludus-agents/learning/internal/training/seating';
import { checksBy } from '@ludus-agents/learning/internal/training/task-checks';
import { type DocumentFolder, readDocumentFolder } from '@ludus-agents/store/internal/document-folder';
import type { CallOptions, CallPlace, Ref } from './refs.ts';
import { environmentName, findDocument, findEnvironment, findModel, placeOf, readText } from './refs.ts';

/** The options of `env.tasks.ideas`. */
export interface IdeaTasksRequest extends CallOptions {
  /** A file of ideas separated by empty lines, or the ideas. */
  readonly ideas: Ref<readonly string[]>;
  /** A model that completes the ideas; without it they are used as they are. */
  readonly model?: Ref<Model> | undefined;
}

/** Text adventures as a suite, the length of each shortest solution, and the omitted ideas. */
export interface IdeaTasks {
  readonly suite: SuiteInput;
  readonly commands: readonly number[];
  readonly rejected: readonly { readonly idea: string; readonly why: string }[];
}

/** Creates text adventures from written ideas, and proves that each is winnable. */
export async function ideas(request: IdeaTasksRequest, place: CallPlace = placeOf(request)): Promise<IdeaTasks> {
  const { ideas: source, model: named, signal = new AbortController().signal } = request;
  const written =
    typeof source === 'string' ? (await readText(source, place)).split(/\n\s*\n/).flatMap((item) => item.trim() || []) : source;
  const model = named === undefined ? null : await findModel(named, place);
  const quests: { readonly idea: string; readonly commands: number }[] = [];
  const rejected: { readonly idea: string; readonly why: string }[] = [];
  for (const idea of written)
    try {
      quests.push(await questOf(idea, model, signal));
    } catch (thrown) {
      signal.throwIfAborted();
      rejected.push({ idea: idea.slice(0, 80), why: sentenceOf(thrown) });
    }
  if (quests.length === 0) throw new Fault('input', `No idea could be used: ${rejected[0]?.why ?? 'there are none.'}`);
  const scene = {
    environment: 'idea-quest',
    seats: ['seeker'],
    tasks: quests.map(({ idea }) => ({ idea })),
    kinds: { scripted: 'scripted:bfs' },
    scale: [-1, 2] as const,
    pass: 0.5,
    also: ['form'],
  };
  const about = 'Text adventures out of written ideas, each proved to be winnable.';
  return {
    suite: { name: 'ideas', about, nulls: ['random'], scenes: [scene] },
    commands: quests.map(({ commands }) => commands),
    rejected,
  };
}

async function questOf(idea: string, model: Model | null, signal: AbortSignal) {
  if (model === null) return { idea, commands: proveIdea(idea).way.commands.length };
  const { text, commands } = await writeIdea(model, idea, { signal });
  return { idea: text, commands: commands.length };
}

/** The options of `env.tasks.library`. */
export interface LibraryTasksRequest extends CallOptions {
  /** A folder of documents. */
  readonly folder: string;
  /** Questions with answers and evidence, or their file; without them, questions about the links between documents are generated. */
  readonly questions?: Ref<Json> | undefined;
  /** The number of questions. */
  readonly seeds?: number | undefined;
  /** The search method of the environment. */
  readonly search?: string | undefined;
}

/** Questions about documents as a suite, and the omitted documents. */
export interface LibraryTasks {
  readonly suite: SuiteInput;
  readonly documents: number;
  /** The number of your questions; null if they are generated. */
  readonly questions: number | null;
  readonly skipped: DocumentFolder['skipped'];
}

/** Creates questions about the documents of a folder. */
export async function library(request: LibraryTasksRequest, place: CallPlace = placeOf(request)): Promise<LibraryTasks> {
  const { folder, seeds = 20, search } = request;
  const { documents, skipped } = readDocumentFolder(resolve(place.cwd, folder));
  const questions = request.questions === undefined ? null : await findDocument(request.questions, place, 'The questions');
  const task = { documents, ...(questions !== null && { questions }), ...(search !== undefined && { search }) };
  (await builtInEnvironment('library')).task(task);
  const suite: SuiteInput = {
    name: 'own-library',
    about: 'Questions about your documents: a right answer pays 1/2, plus 1/2 times the F1 of its citations.',
    seeds,
    nulls: ['random'],
    scenes: [
      {
        ...{ environment: 'library', seats: ['reader'], tasks: [task], scale: [0, 1], pass: 0.9, also: ['form'] },
        ...(search === 'finder' && { others: { '*': 'finder' } }),
      },
    ],
  };
  return { suite, documents: Object.keys(documents).length, questions: Array.isArray(questions) ? questions.length : null, skipped };
}

/** The options of `env.tasks.programs`. */
export interface ProgramTasksRequest extends CallOptions {
  /** A file of instances in the public format of SWE-style benchmarks. */
  readonly instances: string;
  /** The folder of the repositories; by default, the file's folder. */
  readonly repositories?: string | undefined;
}

/** Repair tasks as a suite, the number verified with their patch, and the omitted instances. */
export interface ProgramTasks {
  readonly suite: SuiteInput;
  readonly tasks: number;
  readonly proved: number;
  readonly rejected: RepairTasks['down'];
}

/** Creates repair tasks from public SWE instances. */
export async function programs(request: ProgramTasksRequest, place: CallPlace = placeOf(request)): Promise<ProgramTasks> {
  const file = resolve(place.cwd, request.instances);
  const folder = request.repositories === undefined ? dirname(file) : resolve(place.cwd, request.repositories);
  const { tasks, down } = await readRepairTasks(file, folder);
  if (tasks.length === 0) throw new Fault('input', `No instance of ${request.instances} fits: ${down[0]?.why ?? 'there is none in it'}`);
  // Python tasks have a second seat, which runs the tests.
  const scene = {
    environment: 'programs',
    seats: ['fixer'],
    others: { '*': 'tester' },
    tasks: tasks.map(({ task }) => task),
    also: ['form'],
  };
  const about = 'Your repositories with a bug: pays 1 when the named tests pass.';
  const suite = { name: 'repairs', about, nulls: ['random'], scenes: [scene] };
  return { suite, tasks: tasks.length, proved: tasks.filter(({ proved }) => proved).length, rejected: down };
}

/** The options of `env.tasks.checks`. */
export interface TaskChecksRequest extends CallOptions {
  readonly environment: Ref<AnyEnvironment>;
  /** The checks to measure. */
  readonly checks: readonly string[];
  /** Tasks labeled good or bad, or their file; without it, bad tasks are planted among good ones. */
  readonly tasks?: Ref<readonly { readonly task: Json; readonly good: boolean }[]> | undefined;
  /** A folder of documents for planted tasks. */
  readonly documents?: string | undefined;
  readonly count?: number | undefined;
  readonly seed?: number | undefined;
}

/** The error rates of the checks, each with the flaws that it missed. */
export interface TaskChecks {
  readonly environment: string;
  readonly checks: readonly CheckFigures[];
}

/** Measures the error rates of checks of written tasks. */
export async function checks(request: TaskChecksRequest, place: CallPlace = placeOf(request)): Promise<TaskChecks> {
  const { cwd, trust } = place;
  const { documents, count = 20, seed = 1 } = request;
  const environment = await findEnvironment(request.environment, place);
  const base: Json = documents === undefined ? {} : { documents: readDocumentFolder(resolve(cwd, documents)).documents };
  const labeled = request.tasks === undefined ? null : await labeledTasks(request.tasks, place);
  const planted: readonly PlantedTask[] =
    labeled?.map(({ task, flaw }) => ({ task: environment.task(task) as Json, flaw })) ?? plantTasks(environment, { base, count, seed });
  const training = { environment: environmentName(request.environment), task: planted[0]?.task ?? {} };
  const { mine, others } = await seatingOf({ training } as Parameters<typeof seatingOf>[0], environment, cwd, trust);
  const [seat = ''] = mine;
  const list = await checksBy(request.checks, { environment, seat, others, cwd, trust });
  return { environment: environment.id, checks: await measureChecks(list, planted) };
}

async function labeledTasks(tasks: Ref<readonly Json[]>, place: CallPlace): Promise<readonly PlantedTask[]> {
  const value = await findDocument(tasks, place, 'The tasks');
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  return list.map((item) => {
    if (!isObject(item) || item['task'] === undefined || typeof item['good'] !== 'boolean')
      throw new Fault('input', `tasks: expected a list of labeled tasks such as [{"task": {"goal": 3}, "good": true}].`);
    return { task: item['task'], flaw: item['good'] ? null : 'labeled bad' };
  });
}
