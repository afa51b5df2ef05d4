/** @file `persona.probe`: asks a character about its card, and reports its fidelity. */

import { installedEncoder } from '@ludus-agents/agents/internal/encoders/installed';
import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import type { Persona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { readBytes } from '@ludus-agents/agents/internal/workspace/personas';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { judgeModel, loadJudge } from '@ludus-agents/evaluation/internal/judges';
import { controlAgent } from '@ludus-agents/evaluation/internal/probes/controls';
import { dialogueControl } from '@ludus-agents/evaluation/internal/probes/dialogue-controls';
import { readTopics } from '@ludus-agents/evaluation/internal/probes/dialogue-topics';
import { type GymResult, runGym } from '@ludus-agents/evaluation/internal/probes/gym';
import { keepCard } from '@ludus-agents/evaluation/internal/probes/kept-card';
import { modelReader, modelTraitReader } from '@ludus-agents/evaluation/internal/probes/model-reader';
import {
  type MoralPlayReport,
  measureMoralPlay,
  moralControl,
  moralScenes,
  readMoralScenes,
} from '@ludus-agents/evaluation/internal/probes/moral-play';
import { encoderReader, modelMoralReader } from '@ludus-agents/evaluation/internal/probes/moral-readers';
import { controlCharacters, type ProbeSection } from '@ludus-agents/evaluation/internal/probes/names';
import { measurePortrayal, type PortrayalReport } from '@ludus-agents/evaluation/internal/probes/portrayal';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { probeCharacter, type ReportCard } from '@ludus-agents/evaluation/internal/probes/probe-character';
import { openProbeRun } from '@ludus-agents/evaluation/internal/probes/probe-run';
import { checkMoralReader, checkTraitReader, type ReaderCheck } from '@ludus-agents/evaluation/internal/probes/reader-check';
import { encoderTraitReader } from '@ludus-agents/evaluation/internal/probes/trait-meaning';
import { type Agent, type AgentSpec, Fault, type Json, type Model } from '@ludus-agents/kernel/internal/core/index';
import { jsonFrom } from '@ludus-agents/kernel/internal/core/outside';
import type { AgentRef, CallPlace, Ref, StoreCallOptions } from './refs.ts';
import { changeStore, findModel, findPersona, findSpec, placeOf } from './refs.ts';

/** The options of `persona.probe`. */
export interface PersonaProbeRequest extends StoreCallOptions {
  /** A persona; several only with moral scenes. */
  readonly persona: Ref<Persona> | readonly Ref<Persona>[];
  /** The agent that plays the persona, or a control, such as "control:plays". */
  readonly agent?: AgentRef | undefined;
  /** Probes of the card, PersonaGym, dialogues that should show traits, or moral scenes. */
  readonly by?: 'card' | 'gym' | 'dialogues' | 'moral' | undefined;
  /** Models that read the answers: one, or several in the gym. By default, rules do. */
  readonly judges?: readonly Ref<Model>[] | undefined;
  /** The model that writes questions for the gym. */
  readonly author?: Ref<Model> | undefined;
  /** Moral scenes, or their file. */
  readonly scenes?: Ref<Json> | undefined;
  /** Topics of dialogues, or their file. */
  readonly topics?: Ref<Json> | undefined;
  /** The character's conversation partner in dialogues. */
  readonly partner?: Ref<Persona> | undefined;
  /** Probes of each kind, questions of each gym task, or dialogues of each trait. */
  readonly items?: number | undefined;
  /** Turns of the long conversation. */
  readonly turns?: number | undefined;
  /** The sections of the card to probe. */
  readonly only?: readonly ProbeSection[] | undefined;
  /** False turns off the memory of a language agent. */
  readonly memory?: boolean | undefined;
  readonly seed?: number | undefined;
  /** Use stored answers of agents that cannot be fingerprinted. */
  readonly reuse?: boolean | undefined;
  /** Receives a message about changes since the persona was last probed. */
  readonly onChange?: ((sentence: string) => void) | undefined;
}

interface Probed {
  readonly persona: { readonly id: string; readonly name: string; readonly hash: string };
  readonly run: string;
}

/** The report card of a character; or the results of the gym, dialogues, or moral scenes. */
export type PersonaProbeReport =
  | (ReportCard & { readonly kind: 'card' })
  | (Probed & GymResult & { readonly kind: 'gym' })
  | (Probed & PortrayalReport & Checked & { readonly kind: 'dialogues' })
  | (Probed & MoralPlayReport & Checked & { readonly kind: 'moral' });

interface Checked {
  /** What the reading model made of planted answers; null for readers that are no models. */
  readonly check: ReaderCheck | null;
}

/** Asks a character about its card, and reports how well it plays the card. */
export async function probe(request: PersonaProbeRequest, place: CallPlace = placeOf(request)): Promise<PersonaProbeReport> {
  const { by = 'card', judges = [], seed = 0, reuse = false, items, turns, signal = new AbortController().signal } = request;
  const refs = Array.isArray(request.persona) ? (request.persona as readonly Ref<Persona>[]) : [request.persona as Ref<Persona>];
  if (refs.length > 1 && by !== 'moral') throw new Fault('input', `Expected one persona, got ${refs.length}. Several need --moral.`);
  const personas = await Promise.all(refs.map((ref) => findPersona(ref, place)));
  const [persona] = personas;
  if (persona === undefined) throw new Fault('input', 'Expected a persona, got none.');
  const character = await characterFor(persona, request, place);
  return changeStore(request, place, async (store): Promise<PersonaProbeReport> => {
    const { run, stored, change } = await openProbeRun(store, { persona, spec: character.spec, seed, reuse, place });
    if (change !== null) request.onChange?.(change);
    const common = { seed, store, run, signal };
    const probed: Probed = { persona: { id: persona.id, name: persona.name, hash: persona.hash }, run };
    if (by === 'gym') {
      const author = request.author === undefined ? undefined : await findModel(request.author, place);
      const options = {
        ...common,
        stored,
        agent: character.make,
        judges: judges.map((judge) => gymJudge(judge, place)),
        author,
        encoder: await installedEncoder(place.env),
      };
      return { kind: 'gym', ...probed, ...(await runGym(persona, { ...options, ...(items !== undefined && { questions: items }) })) };
    }
    const model = await readerModel(judges, place);
    if (by === 'dialogues') {
      const about = request.topics === undefined ? undefined : readTopics(...(await documentIn(request.topics, 'The topics', place)));
      const partner = request.partner === undefined ? undefined : await character.partner(await findPersona(request.partner, place));
      const encoder = model === undefined ? await installedEncoder(place.env) : null;
      const byMeaning = encoder === null ? undefined : encoderTraitReader(encoder);
      const reader = model === undefined ? byMeaning : modelTraitReader(model, signal);
      const options = { ...common, topics: items, about, reader, agent: character.version };
      const report = await measurePortrayal(persona, { ...options, ...(partner !== undefined && { partner: () => partner }) });
      const check = model === undefined ? null : await checkTraitReader(modelTraitReader(model, signal).read);
      return { kind: 'dialogues', ...probed, ...report, check };
    }
    if (by === 'moral') {
      const { scenes } = request;
      const read = scenes === undefined ? undefined : readMoralScenes(...(await documentIn(scenes, '', place)));
      const reader = model === undefined ? await encoderInstalled(place) : modelMoralReader(model, signal);
      const report = await measureMoralPlay(personas, { ...common, agent: character.version, reader, scenes: read });
      const check = model === undefined ? null : await checkMoralReader(modelMoralReader(model, signal), read ?? moralScenes);
      return { kind: 'moral', ...probed, ...report, check };
    }
    const reader = model === undefined ? undefined : modelReader(model, signal);
    const options = { ...common, stored, agent: character.make, name: character.spec.name, items, turns, sections: request.only, reader };
    const card = await probeCharacter(persona, options);
    await keepCard(store, run, card);
    return { kind: 'card', ...card };
  });
}

interface Character {
  readonly spec: AgentSpec;
  make(probe: Probe): Agent | Promise<Agent>;
  /** The same agent as the character's conversation partner. */
  partner(persona: Persona): Promise<Agent>;
  /** The same player with another version of the card. */
  version(persona: Persona, probe: Probe): Agent | Promise<Agent>;
}

/** The agent that plays the persona. A control is created for each probe, every other agent once. */
async function characterFor(
  persona: Persona,
  { agent = 'scripted', by, memory, store }: Pick<PersonaProbeRequest, 'agent' | 'by' | 'memory' | 'store'>,
  place: CallPlace,
): Promise<Character> {
  if (typeof agent === 'string' && agent.startsWith('control:')) return controlFor(persona, agent, by);
  if (agent === 'human' || agent === 'me')
    throw new Fault('input', 'A probe asks hundreds of questions, so a person cannot answer them. Use "ludus chat".');
  const written = await findSpec(agent, place);
  if (memory === false && written.kind !== 'llm' && !written.kind.startsWith('llm:'))
    throw new Fault(
      'input',
      `--no-memory turns off the memory of a language agent, but ${written.name} is not one. Use --agent llm:MODEL.`,
    );
  const spec: AgentSpec = { ...written, persona, ...(memory === false && { settings: { ...written.settings, memory: 'off' } }) };
  const load = createAgentLoader(createAgentServices(place.cwd, place.trust, typeof store === 'string' ? { store } : {}));
  const environment = await builtInEnvironment('chat');
  const seated = await load(spec, 'character', environment);
  const version = (card: Persona) => load({ ...spec, persona: card }, 'character', environment);
  const partner = (card: Persona) => load({ ...spec, name: card.name, persona: card }, 'user', environment);
  return { spec, make: () => seated, partner, version };
}

function controlFor(persona: Persona, name: string, by: PersonaProbeRequest['by']): Character {
  const word = name.slice('control:'.length);
  const spec: AgentSpec = { name, kind: 'scripted:character', persona };
  const play = by === 'moral' ? moralControl : dialogueControl;
  const version = (card: Persona, probe: Probe) => play(word, card, probe);
  const partner = (): Promise<Agent> => Promise.reject(new Fault('input', 'A control uses fixed lines. Remove --partner.'));
  if (by === 'dialogues' || by === 'moral') return { spec, make: (probe) => version(persona, probe), partner, version };
  const control = controlCharacters.find((controlCharacter) => controlCharacter === word);
  if (control === undefined)
    throw new Fault('input', `Unknown control "${name}". Available: ${controlCharacters.map((item) => `control:${item}`).join(', ')}.`, {
      code: 'E_UNKNOWN_NAME',
    });
  const make = (probe: Probe) => ({ ...controlAgent(control, { persona, probe, wording: 0 }), persona: persona.hash });
  return { spec, make, partner, version };
}

/** A document and its name in errors. */
async function documentIn(document: Ref<Json>, what: string, place: CallPlace): Promise<[Json, string]> {
  if (typeof document !== 'string') return [document, what || 'The scenes'];
  const json = jsonFrom(new TextDecoder().decode(await readBytes(document, place)), document);
  return [json, what === '' ? document : `${what} in ${document}`];
}

function gymJudge(judge: Ref<Model>, place: CallPlace) {
  if (typeof judge !== 'string') return { name: judge.id, create: async () => judge };
  return { name: judge, create: (rubric: Parameters<typeof judgeModel>[1]) => judgeModel(judge, rubric, place) };
}

/** The local sentence encoder reads moral scenes; without one, word overlap does. */
async function encoderInstalled({ env }: CallPlace) {
  const encoder = await installedEncoder(env);
  return encoder === null ? undefined : encoderReader(encoder);
}

async function readerModel([first, second]: readonly Ref<Model>[], { cwd, trust }: CallPlace): Promise<Model | undefined> {
  if (first === undefined) return undefined;
  if (second !== undefined) throw new Fault('input', 'Only one model can read the answers. Two judges need --gym.');
  if (typeof first !== 'string') return first;
  if (first.startsWith('fake:'))
    throw new Fault('input', `${first} is for rubrics and cannot read answers. Remove --judge to use rules, or add --gym.`);
  return loadJudge(first, cwd, trust);
}
