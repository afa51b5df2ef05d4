/**
 * @file An agent from plain words: a model writes it as a document, and nothing is kept before the document fits the schema, brings nothing
 * that was not allowed, takes a seat, and plays some episodes to their end. What is wrong is said to the model, which tries again.
 */

import { createAgentLoader, standIn } from '../agents/kinds.ts';
import { specDocument } from '../core/agent-spec.ts';
import { type AgentSpec, type AnyEnvironment, Fault, type Json, type Model, nameOf, parseJson, sentenceOf } from '../core/index.ts';
import { readAs } from '../core/shape.ts';
import { play } from '../engine/play.ts';
import { createAgentServices } from './agent-services.ts';
import { checkSpec } from './consent.ts';
import type { WorkingFolder } from './stores.ts';

export interface AgentFromWords {
  readonly spec: AgentSpec;
  /** What was wrong with each try before. */
  readonly problems: readonly string[];
  readonly episodes: number;
}

export interface FromWordsOptions {
  readonly name: string;
  readonly words: string;
  readonly model: Model;
  /** The model that the agent itself is to use. */
  readonly modelName: string;
  readonly environment: AnyEnvironment;
  readonly place: WorkingFolder;
  readonly tries?: number;
  readonly signal?: AbortSignal;
}

const smoke = 3;

export async function agentFromWords(options: FromWordsOptions): Promise<AgentFromWords> {
  const { model, tries = 3, signal = new AbortController().signal } = options;
  const problems: string[] = [];
  for (let i = 0; i < tries; i++) {
    const { text } = await model.complete({ messages: [{ role: 'user', content: questionOf(options, problems) }] }, {}, signal);
    const found = await checkAgent(text, options, signal);
    if (typeof found !== 'string') return { spec: found, problems, episodes: smoke };
    problems.push(found);
  }
  throw new Fault('model', `No agent came of these words in ${tries} tries, and nothing was written. The last problem: ${problems.at(-1)}`);
}

function questionOf({ name, words, modelName }: FromWordsOptions, problems: readonly string[]): string {
  return [
    `Write an agent as one JSON object and nothing else. It is called "${name}". What it is to be:`,
    words,
    'Its fields: "name"; "kind", one of "llm", "team", "search", "random", "scripted"; "model" for "llm"; "texts": {"instruction": "…"} says how it acts;',
    '"notes": ["…"] is what it knows; "settings" of "llm": {"architecture": "plain" or "react", "plan": true, "lasting": true};',
    'of "team": {"members": [agents or kinds], "protocol": "rounds", "planner", "specialists", "refine" or "orchestrator"}; of "search": {"strategy": "mcts", "simulations": 200}.',
    `Where it needs a model, that is "${modelName}".`,
    ...(problems.length === 0 ? [] : ['Your last answer cannot be used:', problems.at(-1)!]),
  ].join('\n');
}

/** The agent in an answer, or a sentence about what is wrong with it. */
async function checkAgent(text: string, { name, environment, place }: FromWordsOptions, signal: AbortSignal): Promise<AgentSpec | string> {
  try {
    const [, fenced] = /```(?:json)?\s*\n([\s\S]*?)```/.exec(text) ?? [];
    const written: Json = parseJson(fenced ?? text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    const spec = { ...readAs(specDocument, written, { where: name, called: 'an agent' }), name };
    // The words of a model are no words of the user: what starts programs or opens tools is not taken from them.
    checkSpec(spec, 'data', place);
    const load = createAgentLoader(createAgentServices(place.cwd, 'data'));
    const [seat, ...others] = environment.seats(environment.task({}));
    for (let seed = 1; seed <= smoke; seed++) {
      const agents = { [seat!]: await load(spec, seat!, environment) };
      for (const other of others) agents[other] = await load(standIn(environment, other), other, environment);
      for await (const event of play(environment, agents, { seed, signal }))
        if (event.kind === 'end' && event.reason !== 'over' && event.reason !== 'limit')
          return `In ${nameOf(environment)} it did not come to the end: ${event.fault?.message ?? event.reason}`;
    }
    return spec;
  } catch (thrown) {
    signal.throwIfAborted();
    return sentenceOf(thrown);
  }
}
