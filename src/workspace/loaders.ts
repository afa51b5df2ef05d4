/**
 * @file One loader per kind: a built-in name, one of the configuration, a file (./mine.ts, ./mine.json) or a package becomes the thing it
 * means. Paths are relative to the working folder.
 */

import {
  type Agent,
  type AgentSpec,
  type AnyEnvironment,
  Fault,
  isObject,
  type Json,
  type JsonObject,
  type Model,
  type Scorer,
  type Seat,
} from '../core/index.ts';
import type { ProposerRecipe } from '../learning/curricula/proposers/recipes.ts';
import type { Teacher } from '../learning/curricula/teachers/index.ts';
import type { Pipeline } from '../learning/pipelines/pipeline.ts';
import type { Engine } from '../learning/prompts/engine.ts';
import type { Recipe } from '../learning/rl/recipe.ts';
import type { Persona } from '../personas/persona.ts';
import type { Rubric } from '../scoring/judges/rubric.ts';
import type { Suite, SuiteScene } from '../scoring/suites/suite.ts';
import { resolveEnvironment } from './environments.ts';
import {
  engineKind,
  type LearnerFactory,
  learnerKind,
  pipelineKind,
  proposerKind,
  recipeKind,
  rubricKind,
  scorerKind,
  suiteKind,
  teacherKind,
} from './kinds.ts';
import { loadEntry } from './load.ts';
import type { NamingPlace } from './populations.ts';
import type { Trust } from './trust.ts';

/** An environment by name, file or package. */
export function loadEnvironment(name: string, cwd: string, trust: Trust): Promise<AnyEnvironment> {
  return resolveEnvironment(name, cwd, trust);
}

/** An agent for a seat, with the models, tools and trained policies of the working folder at hand. */
export async function loadAgent(
  agent: AgentSpec | string,
  seat: Seat,
  environment: AnyEnvironment,
  { cwd, trust }: NamingPlace,
): Promise<Agent> {
  const { createAgentLoader } = await import('../agents/kinds.ts');
  const { createAgentServices } = await import('./agent-services.ts');
  return createAgentLoader(createAgentServices(cwd, trust))(agent, seat, environment);
}

/** A model: local/RUN@best, an endpoint of the configuration, ./mine.ts, ./endpoint.json, openai/…, http://… */
export async function loadModel(name: string, cwd: string, trust: Trust): Promise<Model> {
  return (await import('./models.ts')).findModel(name, cwd, trust);
}

/** A scorer by name, file or package, or a step critic that was trained here (`critic=RUN`). A rule of the user becomes a scorer. */
export function loadScorer(name: string, cwd: string, trust: Trust): Promise<Scorer> {
  const [, kind, by = ''] = /^(apc|critic|states)=(.+)$/s.exec(name) ?? [];
  if (kind === 'critic') return import('./step-critic.ts').then(({ stepCritic }) => stepCritic(by, cwd));
  if (kind === 'states') return statesBy(by, cwd, trust);
  return kind === undefined ? loadEntry(scorerKind, name, cwd, trust) : apcBy(by, cwd, trust);
}

/** The scorer `states=MODEL`: a model that slides over a conversation and carries rubrics along. */
async function statesBy(model: string, cwd: string, trust: Trust): Promise<Scorer> {
  const { rubricStates } = await import('../scoring/faults/rubric-states.ts');
  return rubricStates(await loadModel(model, cwd, trust));
}

/**
 * The scorer "apc" by a real inference model: `apc=onnx:FOLDER`, with the labels that its config.json names, or `apc=MODEL`, a language model.
 * What is relevant is found by words in both.
 */
async function apcBy(model: string, cwd: string, trust: Trust): Promise<Scorer> {
  const { apcScorer } = await import('../scoring/small/apc.ts');
  const { lexicalEmbedder } = await import('../scoring/small/lexical.ts');
  if (!model.startsWith('onnx:')) {
    const { modelNli } = await import('../scoring/small/model-nli.ts');
    return apcScorer({ nli: modelNli(await loadModel(model, cwd, trust)), embedder: lexicalEmbedder });
  }
  const { onnxNli, readNliLabels } = await import('../scoring/small/onnx.ts');
  const { checkFile } = await import('./consent.ts');
  const folder = checkFile(model.slice('onnx:'.length), trust, { cwd, env: process.env });
  return apcScorer({ nli: await onnxNli({ folder, labels: await readNliLabels(folder) }), embedder: lexicalEmbedder });
}

/** A rubric for a judge. */
export function loadRubric(name: string, cwd: string, trust: Trust): Promise<Rubric> {
  return loadEntry(rubricKind, name, cwd, trust);
}

/** Named personas of a suite are looked up here, so that its players have them in full. */
export async function loadSuite(name: string, cwd: string, trust: Trust): Promise<Suite> {
  const [{ resolve }, { isDeskFolder, loadDesk, suiteOfDesk }, { castPopulation }] = await Promise.all([
    import('node:path'),
    import('./desks.ts'),
    import('./desk-population.ts'),
  ]);
  if (isDeskFolder(name, cwd)) return suiteOfDesk(await castPopulation(loadDesk(name, cwd, trust), resolve(cwd, name), trust));
  const suite = await loadEntry(suiteKind, name, cwd, trust);
  const { gallery } = await import('../personas/index.ts');
  const isDrawn = (given: Json) => isObject(given) && 'population' in given;
  const own = (given: Json) => isDrawn(given) || (typeof given === 'string' && !Object.hasOwn(gallery, given));
  const { drawPeople } = await import('./populations.ts');
  const resolveReference = async (given: Json): Promise<Json> => {
    if (!isDrawn(given)) return (await loadPersona(given as string, cwd, trust)) as unknown as Json;
    return (await drawPeople((given as JsonObject)['population']!, `The suite ${name}`, { cwd, trust })) as unknown as Json;
  };
  if (!suite.scenes.some(({ personas }) => Object.values(personas).some(own))) return suite;
  const scenes = suite.scenes.map(async (scene): Promise<SuiteScene> => {
    const found = Object.entries(scene.personas).map(
      async ([seat, given]): Promise<readonly [string, Json]> => [seat, own(given) ? await resolveReference(given) : given],
    );
    return { ...scene, personas: Object.fromEntries(await Promise.all(found)) };
  });
  return { ...suite, scenes: await Promise.all(scenes) };
}

/** A recipe of training; a file says which one it begins from and what it changes. */
export function loadRecipe(name: string, cwd: string, trust: Trust): Promise<Recipe> {
  return loadEntry(recipeKind, name, cwd, trust);
}

/** An engine of text improvement by name, file or package. */
export function loadEngine(name: string, cwd: string, trust: Trust): Promise<Engine> {
  return loadEntry(engineKind, name, cwd, trust);
}

/** What makes a learner of the user's own, by file, package or a name of the configuration. */
export async function loadLearner(name: string, cwd: string, trust: Trust): Promise<LearnerFactory> {
  const found = await loadEntry(learnerKind, name, cwd, trust);
  if (typeof found === 'string') throw new Fault('input', `The learner "${found}" is built in and is made by the recipe that names it.`);
  return found;
}

/** A teacher for tasks; `points` maps tasks to points. */
export async function loadTeacher(name: string, points: readonly (readonly number[])[], { cwd, trust }: NamingPlace): Promise<Teacher> {
  return (await loadEntry(teacherKind, name, cwd, trust))(points);
}

/** The recipe of a proposer of tasks. */
export function loadProposer(name: string, cwd: string, trust: Trust): Promise<ProposerRecipe> {
  return loadEntry(proposerKind, name, cwd, trust);
}

/** A pipeline that makes data. */
export function loadPipeline(name: string, cwd: string, trust: Trust): Promise<Pipeline> {
  return loadEntry(pipelineKind, name, cwd, trust);
}

/** A population, as `samplePopulation` reads it: a name, a document, or a table of people (./people.csv, ./people.parquet). */
export async function loadPopulation(name: string, cwd: string, trust: Trust): Promise<Json> {
  return (await import('./populations.ts')).findPopulation(name, cwd, trust);
}

/** A persona of the gallery or of one's own, or from a file in any known format. */
export async function loadPersona(name: string, cwd: string, trust: Trust): Promise<Persona> {
  const { resolvePersona } = await import('./personas.ts');
  const { Readable } = await import('node:stream');
  return (await resolvePersona(name, { cwd, stdin: Readable.from([]), trust })).persona;
}
