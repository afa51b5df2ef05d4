/**
 * @file Local models behind the proxy: characters (persona/NAME), trained agents (local/RUN@best), and any model by its name.
 *
 * A character is played by its configured model, or by a script with the lines on its card. A trained model
 * reads a chat as the view it was trained on: messages of others and its own actions.
 */

import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { type AgentServices, createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { listOf } from '@ludus-agents/agents/internal/models/openai.wire';
import { promptTokens, tokensIn } from '@ludus-agents/agents/internal/models/tokens';
import { chatTask } from '@ludus-agents/agents/internal/personas/chat-task';
import { gallery, type Persona } from '@ludus-agents/agents/internal/personas/index';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import type {
  Agent,
  AnyEnvironment,
  ChatMessage,
  Json,
  Learner,
  ModelCall,
  Reply,
  Seen,
  View,
} from '@ludus-agents/kernel/internal/core/index';
import { hash, isFault, isObject, rng } from '@ludus-agents/kernel/internal/core/index';
import { PromiseCache } from '@ludus-agents/kernel/internal/core/promise-cache';
import { checkpointNames, runFolder } from '@ludus-agents/learning/internal/training/run-folder';
import { isTrainedName, loadTrainedModel } from '@ludus-agents/learning/internal/training/trained-agents';
import type { ProxyTarget } from './target.ts';
import { type ProxyRequest, Refused } from './wire.ts';

export interface ModelProxyOptions {
  readonly cwd: string;
  /** The model that plays characters; by default, the lines on their cards. */
  readonly model?: string | undefined;
  /** Models under the names that this process uses for them: a GGUF file, a model of a training server. */
  readonly models?: readonly string[] | undefined;
  /** Characters in addition to the gallery, by their public name. */
  readonly personas?: Readonly<Record<string, Persona>>;
  readonly services?: AgentServices;
}

export class ModelProxy {
  readonly #options: ModelProxyOptions;
  readonly #personas: Readonly<Record<string, Persona>>;
  readonly #agents = new PromiseCache<Agent>();

  constructor(options: ModelProxyOptions) {
    this.#options = options;
    this.#personas = { ...gallery, ...options.personas };
  }

  /** Whether this process serves the name. */
  has(model: string): boolean {
    return this.#options.models?.includes(model) === true || model.startsWith('persona/') || isTrainedName(model);
  }

  names(): readonly string[] {
    const { models = [], cwd } = this.#options;
    return [...models, ...Object.keys(this.#personas).map((name) => `persona/${name}`), ...listTrained(cwd)];
  }

  async answer(proxyRequest: ProxyRequest, place: ProxyTarget, signal: AbortSignal): Promise<ModelCall> {
    if (this.#options.models?.includes(proxyRequest.model) === true) return this.#asModel(proxyRequest, signal);
    if (proxyRequest.model.startsWith('persona/')) return this.#inCharacter(proxyRequest, signal);
    return this.#asLearned(proxyRequest, place);
  }

  async #asModel(proxyRequest: ProxyRequest, signal: AbortSignal): Promise<ModelCall> {
    const { cwd, services = createAgentServices(cwd, Trust.commandLine) } = this.#options;
    const choices = choicesIn(proxyRequest);
    try {
      const model = await services.model!(proxyRequest.model);
      const call = await model.complete(
        proxyRequest.prompt,
        choices.length === 0 ? proxyRequest.sampling : { ...proxyRequest.sampling, choices },
        signal,
      );
      const notes = [...proxyRequest.notes, ...(call.notes ?? [])];
      return { ...call, model: proxyRequest.model, ...(notes.length === 0 ? {} : { notes }) };
    } catch (thrown) {
      if (!isFault(thrown) || thrown.boundary !== 'input') throw thrown;
      throw new Refused(400, thrown.message, { cause: thrown });
    }
  }

  async #inCharacter(proxyRequest: ProxyRequest, signal: AbortSignal): Promise<ModelCall> {
    const name = proxyRequest.model.slice('persona/'.length);
    const persona = Object.hasOwn(this.#personas, name) ? this.#personas[name]! : this.#byName(name);
    if (persona === undefined)
      throw new Refused(404, `Unknown character "${name.slice(0, 80)}". Available: ${Object.keys(this.#personas).join(', ')}.`, {
        code: 'model_not_found',
        param: 'model',
      });
    const agent = await this.#agent(name, persona);
    const environment = await builtInEnvironment('chat');
    const { model } = this.#options;
    const view = viewIn(proxyRequest.prompt.messages, openingFor(environment, chatTask(persona, model === undefined ? {} : { model })));
    const dice = rng(proxyRequest.sampling.seed ?? 0, 'proxy', hash(proxyRequest.prompt));
    const reply = await agent.act({ view, ask: { seat: 'character' }, rng: dice }, signal);
    const notes = proxyRequest.prompt.tools === undefined ? [] : ['A character uses no tools.'];
    return callOf(proxyRequest, reply, notes);
  }

  /** A character by its name, in any spelling. */
  #byName(name: string): Persona | undefined {
    const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-');
    return Object.values(this.#personas).find((persona) =>
      [persona.name, persona.nickname ?? '', ...persona.aliases].some((called) => called !== '' && plain(called) === plain(name)),
    );
  }

  #agent(name: string, persona: Persona): Promise<Agent> {
    return this.#agents.get(name, async () => {
      const { model, cwd, services = createAgentServices(cwd, Trust.commandLine) } = this.#options;
      const spec = model === undefined ? 'scripted:character' : { name: persona.name, kind: 'llm', model, persona: persona };
      return createAgentLoader(services)(spec, 'character', await builtInEnvironment('chat'));
    });
  }

  async #asLearned(proxyRequest: ProxyRequest, { seat }: ProxyTarget): Promise<ModelCall> {
    const learner = await loadLearner(proxyRequest.model, this.#options.cwd);
    const { messages } = proxyRequest.prompt;
    const choices = choicesIn(proxyRequest);
    const turn = {
      view: viewIn(messages, { seat, seen: [] }),
      ask: choices.length === 0 ? { seat } : { seat, choices },
      rng: rng(proxyRequest.sampling.seed ?? 0, 'proxy', hash(proxyRequest.prompt)),
    };
    const { tokens: _, ...sampling } = proxyRequest.sampling;
    try {
      const [reply] = await learner.policy(sampling).act([turn]);
      return callOf(proxyRequest, reply as Reply, []);
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown;
      const hint = choices.length === 0 ? ' List the moves in "guided_choice".' : '';
      throw new Refused(400, `${thrown.message}${hint}`, { cause: thrown });
    }
  }
}

/** The allowed answers as texts, in vLLM's current format and the one before 0.12. */
function choicesIn({ body }: ProxyRequest): readonly string[] {
  const { structured_outputs: structured, guided_choice: guided } = body;
  const listed = isObject(structured) ? structured['choice'] : guided;
  return listOf(listed).filter((item) => typeof item === 'string');
}

async function loadLearner(name: string, cwd: string): Promise<Learner> {
  try {
    return await loadTrainedModel(name, cwd);
  } catch (thrown) {
    throw new Refused(404, (thrown as Error).message, { code: 'model_not_found', param: 'model', cause: thrown });
  }
}

/** Models trained below a folder, by their public names. */
function listTrained(cwd: string): readonly string[] {
  try {
    const runs = readdirSync(resolve(cwd, '.ludus', 'training'));
    return runs.flatMap((run) => checkpointNames(runFolder(cwd, run)).map((at) => `local/${run}@${at}`));
  } catch {
    return [];
  }
}

/** A character's prompt before the first message. */
function openingFor(environment: AnyEnvironment, task: Json): View {
  const { messages } = environment.start(environment.task(task), rng(0));
  const observations = messages
    .filter(({ to, from }) => to.includes('character') && from === undefined)
    .map((message): Seen => ({ kind: 'message', ...message }));
  return { seat: 'character', seen: observations };
}

/** A chat as a view: the assistant's messages are its own actions, all others are messages to the seat. */
function viewIn(messages: readonly ChatMessage[], opening: View): View {
  const { seat } = opening;
  const observations = messages.map(({ role, content, name }): Seen => {
    if (role === 'assistant') return { kind: 'action', action: { text: content } };
    const from = seat === 'character' && role === 'user' ? 'user' : name;
    return { kind: 'message', to: [seat], text: content, ...(from === undefined ? {} : { from }) };
  });
  return { seat, seen: [...opening.seen, ...observations] };
}

/** An answer as a call of the requested model. Several underlying calls are added up. */
function callOf({ model, prompt, notes: before }: ProxyRequest, { action, calls = [] }: Reply, more: readonly string[]): ModelCall {
  const sum = (pick: (call: ModelCall) => number) => calls.reduce((total, call) => total + pick(call), 0);
  const usage =
    calls.length === 0
      ? { promptTokens: promptTokens(prompt), completionTokens: tokensIn(action.text) }
      : {
          promptTokens: sum(({ usage: otherUsage }) => otherUsage.promptTokens),
          completionTokens: sum(({ usage: otherUsage }) => otherUsage.completionTokens),
        };
  const only = calls.length === 1 ? calls[0] : undefined;
  const tokens =
    only?.text === action.text && only.promptTokenIds !== undefined && only.tokenIds !== undefined && only.logprobs !== undefined;
  const notes = [...before, ...more];
  return {
    model,
    prompt,
    text: action.text,
    finish: only?.finish === 'length' ? 'length' : 'stop',
    usage,
    cost: calls.some(({ cost }) => cost === null) ? null : sum(({ cost }) => cost as number),
    ...(tokens ? { promptTokenIds: only.promptTokenIds, tokenIds: only.tokenIds, logprobs: only.logprobs } : {}),
    ...(notes.length === 0 ? {} : { notes }),
  } as ModelCall;
}
