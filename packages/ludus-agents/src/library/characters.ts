/** @file `persona.draft`, `suite`, `teach`, `rewrite` and `align`: scenes, lessons and report cards of characters. */

import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { recallEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { draftScene, type Persona, readScene } from '@ludus-agents/agents/internal/personas/index';
import {
  factPassages,
  type KnownPassage,
  lorePassages,
  playedPassages,
  recallPassages,
  sceneByRule,
  sceneRequest,
} from '@ludus-agents/agents/internal/personas/scene-knowledge';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { buildDialogueSuite, type DialogueScene, readDialogueScenes } from '@ludus-agents/evaluation/internal/dialogue-suite';
import { judgesFor } from '@ludus-agents/evaluation/internal/judges';
import { loadScorer, loadSmallModels } from '@ludus-agents/evaluation/internal/loaders';
import { checkNli, type ReaderCheck } from '@ludus-agents/evaluation/internal/probes/reader-check';
import { count } from '@ludus-agents/kernel/internal/core/format';
import { Fault, type Json, type JsonObject, type Model, type Store } from '@ludus-agents/kernel/internal/core/index';
import { type AlignReport, alignRun } from '@ludus-agents/learning/internal/align-run';
import { preferenceRow } from '@ludus-agents/learning/internal/character-data';
import { type RewriteReport, rewriteRun } from '@ludus-agents/learning/internal/rewrite-run';
import { teachCharacter } from '@ludus-agents/learning/internal/teach-character';
import { loadRun, storeExists } from '@ludus-agents/store/internal/stores';
import type { AgentRef, CallOptions, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { findDocument, findModel, findPersona, findSpec, placeOf, readStore, readText } from './refs.ts';

/** The options of `persona.draft`. */
export interface SceneDraftRequest extends StoreCallOptions {
  /** The topic of the scene. */
  readonly about: string;
  /** Two to eight characters by name or file. */
  readonly cast: readonly string[];
  /** Files with facts. */
  readonly facts?: readonly string[] | undefined;
  /** A model that writes the scene; without it, a rule does. */
  readonly model?: Ref<Model> | undefined;
  /** The maximum number of recalled passages. */
  readonly most?: number | undefined;
  /** The target folder; file names in the scene are relative to it. The working folder by default. */
  readonly folder?: string | undefined;
}

/** A scene as a document, its source passages, and the number of model calls. */
export interface DraftedScene {
  /** The encoder that selected the passages; null for word overlap. */
  readonly encoder: string | null;
  readonly scene: JsonObject;
  readonly recalled: readonly KnownPassage[];
  readonly calls: number;
}

/** The number of latest scenes to search. */
const mostScenes = 200;

/** Drafts a scene from the lore of its characters, their earlier scenes, and facts from files. */
export async function draft(request: SceneDraftRequest, place: CallPlace = placeOf(request)): Promise<DraftedScene> {
  const { cast, facts: files = [], most = 6, model, signal } = request;
  const about = request.about.trim();
  if (about === '') throw new Fault('input', 'The description of the scene is empty.');
  if (cast.length < 2 || cast.length > 8)
    throw new Fault(
      'input',
      `A scene has two to eight characters, but --cast has ${cast.length}. List them, such as --cast villain innkeeper.`,
    );
  const personas: Persona[] = [];
  for (const name of cast) personas.push(await findPersona(name, place));
  const facts: KnownPassage[] = [];
  for (const file of files) facts.push(...factPassages(file, await readText(file, place, 'The facts')));
  const { store } = request;
  const hasStore = typeof store === 'object' || storeExists(place, store === undefined ? {} : { store });
  const played = hasStore ? await readStore(request, place, (opened) => earlierScenes(opened, personas)) : [];
  const encoder = recallEncoder();
  const recalled = await recallPassages(about, [...personas.flatMap(lorePassages), ...facts, ...played], most, encoder);
  // A scene file names its characters relative to itself.
  const folder = resolve(place.cwd, request.folder ?? '.');
  const beside = (name: string) => `./${relative(folder, resolve(place.cwd, name)).replaceAll('\\', '/')}`;
  const names = cast.map((name) => (existsSync(resolve(place.cwd, name)) ? beside(name) : name));
  const find = (name: string) => findPersona(name, { ...place, cwd: folder });
  if (model === undefined) {
    const scene = sceneByRule(about, names, recalled);
    await readScene(scene, find);
    return { scene, recalled, encoder: encoder?.name ?? null, calls: 0 };
  }
  const description = sceneRequest(about, names, recalled);
  const drafted = await draftScene(await findModel(model, place), description, find, { cast: names, ...(signal && { signal }) });
  return { scene: drafted.scene, recalled, encoder: encoder?.name ?? null, calls: drafted.calls.length };
}

/** The messages to everyone in scenes of these characters, earliest first. */
async function earlierScenes(store: Store, personas: readonly Persona[]): Promise<readonly KnownPassage[]> {
  const names = new Set(personas.map(({ name }) => name));
  const { id: environment } = await builtInEnvironment('social-scene');
  const passages: KnownPassage[] = [];
  for (const { id, cast } of (await store.episodes({ environment, limit: mostScenes })).toReversed()) {
    if (!Object.values(cast).some((name) => names.has(name))) continue;
    const seated = Object.fromEntries(Object.entries(cast).filter(([seat]) => seat !== 'narrator'));
    passages.push(...playedPassages(id, await store.events(id), seated));
  }
  return passages;
}

/** The options of `persona.suite`. */
export interface DialogueSuiteRequest extends CallOptions {
  readonly personas: readonly Ref<Persona>[];
  readonly name?: string | undefined;
  /** Scenes, or their file; three everyday scenes by default. */
  readonly scenes?: Ref<Json> | undefined;
  /** The agent for the dialogues from which tasks are cut. */
  readonly source?: AgentRef | undefined;
  /** Another agent, whose dialogues are used for tests. */
  readonly test?: AgentRef | undefined;
  readonly turns?: number | undefined;
  readonly seed?: number | undefined;
}

const usualScenes: readonly Json[] = [
  {
    name: 'delay',
    background: 'A storm keeps two travellers in a waiting room. They do not know each other.',
    opening: 'Who are you, and where do you come from?',
  },
  {
    name: 'favour',
    background: 'One of two acquaintances needs a favour that the other may not want to do.',
    opening: 'Would you keep something for me, and not ask why?',
  },
  { name: 'supper', background: 'A long supper at one table, with time to talk.', opening: 'What do you like best about your work?' },
];

/** Builds a benchmark of role-play from characters, scenes and a source model. */
export async function suite(request: DialogueSuiteRequest, place: CallPlace = placeOf(request)): ReturnType<typeof buildDialogueSuite> {
  const { name = 'dialogues', source = 'scripted', test, turns = 6, seed = 0, signal = new AbortController().signal } = request;
  const personas = await Promise.all(request.personas.map((persona) => findPersona(persona, place)));
  const scenes: readonly DialogueScene[] = readDialogueScenes(
    request.scenes === undefined ? usualScenes : await findDocument(request.scenes, place, 'The scenes'),
  );
  return buildDialogueSuite({
    ...{ name, personas, scenes, turns, seed, signal },
    source: await speakerFor(source, place),
    test: test === undefined ? undefined : await speakerFor(test, place),
  });
}

/** An agent that plays any persona with its permitted knowledge of the others. */
async function speakerFor(agent: AgentRef, place: CallPlace) {
  const spec = await findSpec(agent, place);
  const load = createAgentLoader(createAgentServices(place.cwd, place.trust));
  const environment = await builtInEnvironment('next-line');
  return (persona: Persona, others: readonly Persona[]) =>
    load({ ...spec, persona, settings: { ...spec.settings, others } }, 'character', environment);
}

/** The options of `persona.rewrite`. */
export interface RewriteRequest extends StoreCallOptions {
  readonly run: string;
  /** The judge that compares lines, a model by name. */
  readonly judge: string;
  /** The model that rewrites; not the judge. */
  readonly by: Ref<Model>;
  readonly rubric?: string | undefined;
}

/** Lines that a judge preferred to the original, and the resulting preference pairs. */
export interface Rewrites extends RewriteReport {
  readonly run: string;
  readonly rubric: string;
  readonly judge: string;
  readonly by: string;
  readonly pairs: readonly ReturnType<typeof preferenceRow>[];
}

/** Rewrites lines of characters with a model, and keeps those that a judge prefers as preference pairs. */
export async function rewrite(request: RewriteRequest, place: CallPlace = placeOf(request)): Promise<Rewrites> {
  const { rubric = 'character-box', signal = new AbortController().signal } = request;
  if (request.by === request.judge)
    throw new Fault('input', 'The model that rewrites cannot be the judge: it would prefer its own lines. Use two different models.');
  const [judge] = await judgesFor({ rubric, judge: request.judge }, place);
  if (judge === undefined) throw new Fault('input', `The judge ${request.judge} has no rubric.`);
  const by = await findModel(request.by, place);
  return readStore(request, place, async (store) => {
    const run = (await loadRun(store, request.run)).id;
    const report = await rewriteRun({ store, run, judge, by, signal });
    if (report.trajectories === 0)
      throw new Fault(
        'input',
        `No seat of ${run} plays a persona, so there is nothing to rewrite. Play a plan, scene, or chat with a persona.`,
      );
    const pairs = report.kept.flatMap(({ episode, lines, events }) => lines.map((rewritten) => preferenceRow(events, rewritten, episode)));
    return { ...report, run, rubric: judge.rubric.name, judge: judge.model, by: by.id, pairs };
  });
}

/** The options of `persona.align`. */
export interface AlignRequest extends StoreCallOptions {
  readonly run: string;
  /** The model that reads each sentence, or `onnx:FOLDER` with an inference model; if omitted, shared words, reported as a stand-in. */
  readonly judge?: string | undefined;
}

/** The alignment of a run, and what the reading model made of planted sentences; null for shared words. */
export type AlignedRun = AlignReport & { readonly run: string; readonly check: ReaderCheck | null };

/** Aligns characters' lines with their profiles, sentence by sentence: alignments, adjusted profiles, and training data. */
export async function align(request: AlignRequest, place: CallPlace = placeOf(request)): Promise<AlignedRun> {
  const { nli, embedder } = await loadSmallModels(request.judge, place.cwd, place.trust);
  return readStore(request, place, async (store) => {
    const run = (await loadRun(store, request.run)).id;
    const report = await alignRun({ store, run, nli, embedder, signal: request.signal });
    if (report.dialogues === 0)
      throw new Fault(
        'input',
        `No seat of ${run} plays a persona, so there is nothing to align. Play a plan, scene, or chat with a persona.`,
        {
          code: 'E_NO_PERSONA_IN_RUN',
          details: { run },
        },
      );
    const [profile] = Object.values(report.profiles);
    const check = request.judge === undefined || profile === undefined ? null : await checkNli(nli, profile);
    return { ...report, run, check };
  });
}

/** The options of `persona.teach`. */
export interface TeachRequest extends CallOptions {
  readonly persona: Ref<Persona>;
  /** The criterion for the best line: "probes", "apc" or "apc=MODEL". */
  readonly by?: string | undefined;
  readonly items?: number | undefined;
  readonly seed?: number | undefined;
}

/** Training material of a character: preference pairs, examples to imitate, recipes, and a suite of held-out wordings. */
export interface TaughtCharacter extends Awaited<ReturnType<typeof teachCharacter>> {
  readonly persona: Persona;
  /** Recipes by file name. */
  readonly recipes: Readonly<Record<string, object>>;
  readonly suite: object;
}

/** Makes preference pairs, examples, recipes and a held-out suite from the document of a character. */
export async function teach(request: TeachRequest, place: CallPlace = placeOf(request)): Promise<TaughtCharacter> {
  const { by = 'probes', items, seed, signal = new AbortController().signal } = request;
  const persona = await findPersona(request.persona, place);
  if (by !== 'probes' && !/^apc(?:=|$)/.test(by)) throw new Fault('input', `--by: expected "probes", "apc", or "apc=MODEL", got "${by}".`);
  const scorer = by === 'probes' ? undefined : await loadScorer(by, place.cwd, place.trust);
  const lessons = await teachCharacter(persona, { items, seed, scorer, signal });
  if (lessons.train.length === 0 || lessons.heldOut.length === 0)
    throw new Fault(
      'input',
      `${persona.name} has too few statements: of ${count(lessons.asked, 'question')}, ${lessons.train.length} can be used for training and ${lessons.heldOut.length} are held out. ${scorer === undefined ? 'Add statements' : 'Add statements, use another model for APC, or remove --by'}.`,
    );
  const written = recipes.map(({ file, base, method, training }) => [
    file,
    {
      name: `${persona.id}-${file}`.slice(0, 60),
      ...{ base, method },
      training: trainingOf(base, lessons.train, training),
      ...(base.startsWith('lm-') && { onServer }),
    },
  ]);
  return { ...lessons, persona, recipes: Object.fromEntries(written), suite: suiteOf(persona.id, lessons.heldOut) };
}

/** Recipe files to write: the base of each, and its changes. */
const recipes: readonly { readonly file: string; readonly base: string; readonly method: string; readonly training?: object }[] = [
  { file: 'dpo', base: 'lm-dpo', method: 'DPO of a small language model on lines of a character' },
  { file: 'kto', base: 'lm-kto', method: 'KTO of a small language model on lines of a character' },
  {
    file: 'table',
    base: 'm-dpo',
    method: 'DPO of a table: the control, which knows only wordings that it has seen',
    training: { learner: 'table', games: 6000, batch: 128, rate: { from: 0.1, to: 0.02 } },
  },
];

/** A large model with an adapter: fewer and smaller steps, because it already speaks fluently. */
const onServer = {
  'training.games': 1280,
  'training.rate.from': 5e-5,
  'training.rate.to': 1e-5,
  'training.warmUp.steps': 60,
  'training.warmUp.rate': 2e-4,
};

/** A language model first imitates the best lines, and is then rewarded with the score of its own lines. */
function trainingOf(base: string, questions: Json, overrides: object = {}): object {
  const common = { environment: 'character-quiz', task: { questions }, seats: { character: 'learner' } };
  if (!base.startsWith('lm-')) return { ...common, ...overrides };
  return {
    ...common,
    games: 2560,
    batch: 64,
    opponents: 'self',
    rate: { from: 5e-4, to: 1e-4 },
    sizes: { width: 64, layers: 2, heads: 4, context: 160, answer: 40, vocabulary: 1024 },
    warmUp: { script: 'best', games: 600, steps: 600, rate: 2e-3, rows: 32 },
    ...overrides,
  };
}

function suiteOf(id: string, questions: Json): object {
  const scenes = [
    {
      name: 'held-out wordings',
      environment: 'character-quiz',
      tasks: [{ questions }],
      seats: ['character'],
      pass: 1,
      kinds: { scripted: 'scripted:best', first: 'scripted:first' },
    },
  ];
  return {
    name: `${id}-held-out`.slice(0, 60),
    about: 'Questions in wordings that were not taught.',
    seeds: 60,
    nulls: ['random', 'first'],
    scenes,
  };
}
