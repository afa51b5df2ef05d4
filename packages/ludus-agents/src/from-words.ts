/**
 * @file A document from a description: a model writes it, and nothing is saved before it has passed every check. Errors are returned to
 * the model, which tries again. Used for agents, environments, and plans.
 */

import { createAgentLoader, standIn } from '@ludus-agents/agents/internal/kinds';
import { createAgentServices } from '@ludus-agents/agents/internal/workspace/agent-services';
import { checkSpec } from '@ludus-agents/agents/internal/workspace/consent';
import { resolveEnvironment } from '@ludus-agents/agents/internal/workspace/environments';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { readStory } from '@ludus-agents/environments/internal/story/story';
import { specDocument } from '@ludus-agents/kernel/internal/core/agent-spec';
import type { AgentSpec, AnyEnvironment, Json, Model } from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf, parseJson, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { readAs } from '@ludus-agents/kernel/internal/core/shape';
import { check } from '@ludus-agents/kernel/internal/engine/check';
import { cells, loadPlanTasks, readPlan } from '@ludus-agents/kernel/internal/engine/plan';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import type { WorkingFolder } from '@ludus-agents/store/internal/stores';

export interface FromWords {
  readonly document: Json;
  /** The errors of each earlier try. */
  readonly problems: readonly string[];
  readonly episodes: number;
}

export interface FromWordsOptions {
  readonly what: WrittenKind;
  readonly name: string;
  readonly words: string;
  readonly model: Model;
  /** The model that a generated agent uses. */
  readonly modelName: string;
  /** The environment for a generated agent. */
  readonly environment: AnyEnvironment;
  readonly place: WorkingFolder;
  readonly tries?: number;
  readonly signal?: AbortSignal;
}

interface Writing {
  /** The prompt's description of the form. */
  form(options: FromWordsOptions): readonly string[];
  /** The final document; throws an error message if it is invalid. */
  check(written: Json, options: FromWordsOptions, signal: AbortSignal): Promise<Json>;
}

const smoke = 3;

const kinds = {
  agent: {
    form: ({ modelName }) => [
      'Its fields: "name"; "kind", one of "llm", "team", "search", "random", "scripted"; "model" for "llm"; "texts": {"instruction": "…"} says how it acts;',
      '"notes": ["…"] is what it knows; "settings" of "llm": {"architecture": "plain" or "react", "plan": true, "lasting": true};',
      'of "team": {"members": [agents or kinds], "protocol": "rounds", "planner", "specialists", "refine" or "orchestrator"}; of "search": {"strategy": "mcts", "simulations": 200}.',
      `Where it needs a model, that is "${modelName}".`,
    ],
    async check(written, { name, environment, place }, signal) {
      const spec: AgentSpec = { ...readAs(specDocument, written, { where: name, called: 'an agent' }), name };
      // A model's text is not the user's: parts that start programs or open tools are rejected.
      checkSpec(spec, Trust.storedData, place);
      const [seat = ''] = environment.seats(environment.task({}));
      await playSome(environment, { [seat]: spec }, {}, { place, signal });
      return spec;
    },
  },
  environment: {
    form: () => [
      'It is a story for one player: {"kind": "story", "name": "…", "about": "what it is about and what is won", "begins": "PLACE", "turns": 20, "places": {…}}.',
      'Each place: "PLACE": {"text": "what the player sees", "moves": {"[take the key]": {"to": "PLACE", "text": "what comes of it", "needs": ["thing"], "gives": ["thing"], "takes": ["thing"], "pays": 0}}}.',
      'A place where it ends: {"text": "…", "over": true, "pays": 1}. Ends must pay differently, and the best must be reachable.',
    ],
    async check(written, { name, place }, signal) {
      const document = typeof written === 'object' && written !== null ? { ...written, name } : written;
      const environment = readStory(document, name);
      if (environment === undefined) throw new Fault('input', `${name}: a story needs "kind": "story".`);
      const [problem] = await check(environment, { episodes: 40, steps: 2000 });
      if (problem !== undefined) throw new Fault('input', `It breaks the rule ${problem.rule}: ${problem.message}`);
      const [seat = ''] = environment.seats(environment.task({}));
      await playSome(environment, { [seat]: 'random' }, {}, { place, signal });
      return document as Json;
    },
  },
  plan: {
    form: ({ modelName }) => [
      'It says which episodes are to be played: {"environments": [{"environment": "tic-tac-toe", "tasks": [{}]}], "seeds": 10, "casts": [{"X": "llm:MODEL", "O": "scripted"}]}.',
      '"environment" is the name of a built-in one; "casts" seat an agent on each seat, or on all as {"*": "random"}: "random", "scripted", "llm:MODEL" or a spec.',
      `Where a model is needed, that is "${modelName}".`,
    ],
    async check(written, { name, place }, signal) {
      const plan = readPlan(written, name);
      for (const agent of plan.casts.flatMap((cast) => Object.values(cast)))
        checkSpec(typeof agent === 'string' ? { name: agent, kind: agent } : agent, Trust.storedData, place);
      const tasks = await loadPlanTasks(plan, (environment) => resolveEnvironment(environment, place.cwd, Trust.storedData));
      const visited = new Set<string>();
      for (const { environment, task, cast } of cells(plan, tasks)) {
        const key = JSON.stringify([environment, cast]);
        if (visited.has(key) || visited.size === smoke) continue;
        visited.add(key);
        await playSome(await resolveEnvironment(environment, place.cwd, Trust.storedData), cast, task, { place, signal });
      }
      return written;
    },
  },
} as const satisfies Readonly<Record<string, Writing>>;

export type WrittenKind = keyof typeof kinds;
export const writtenKinds = Object.keys(kinds) as readonly WrittenKind[];

export async function documentFromWords(options: FromWordsOptions): Promise<FromWords> {
  const { what, name, words, model, tries = 3, signal = new AbortController().signal } = options;
  const writing: Writing = kinds[what];
  const problems: string[] = [];
  for (let i = 0; i < tries; i++) {
    const content = [
      `Write ${what === 'plan' ? 'a' : 'an'} ${what} as one JSON object and nothing else. It is called "${name}". What it is to be:`,
      words,
      ...writing.form(options),
      // All errors: with only the last one, a model returns to earlier mistakes.
      ...(problems.length === 0 ? [] : ['Your earlier answers cannot be used:', ...new Set(problems)]),
    ].join('\n');
    const { text } = await model.complete({ messages: [{ role: 'user', content }] }, {}, signal);
    try {
      const [, fenced] = linear(/```(?:json)?\s*\n([\s\S]*?)```/).exec(text) ?? [];
      const written: Json = parseJson(fenced ?? text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
      return { document: await writing.check(written, options, signal), problems, episodes: smoke };
    } catch (thrown) {
      signal.throwIfAborted();
      problems.push(sentenceOf(thrown));
    }
  }
  throw new Fault(
    'model',
    `No valid ${what} was created from the description in ${tries} tries, so nothing was written. The last problem: ${problems.at(-1)}`,
  );
}

/** Plays some episodes to the end, with default agents on the other seats. */
async function playSome(
  environment: AnyEnvironment,
  cast: Readonly<Record<string, AgentSpec | string>>,
  task: Json,
  { place, signal }: { readonly place: WorkingFolder; readonly signal: AbortSignal },
): Promise<void> {
  const load = createAgentLoader(createAgentServices(place.cwd, Trust.storedData));
  for (let seed = 1; seed <= smoke; seed++) {
    const seats = environment.seats(environment.task(task));
    const agents = Object.fromEntries(
      await Promise.all(
        seats.map(async (seat) => [seat, await load(cast[seat] ?? cast['*'] ?? standIn(environment, seat), seat, environment)] as const),
      ),
    );
    for await (const event of play(environment, agents, { seed, task, signal }))
      if (event.kind === 'end' && event.reason !== 'over' && event.reason !== 'limit')
        throw new Fault('input', `It did not reach the end of ${nameOf(environment)}: ${event.fault?.message ?? event.reason}`);
  }
}
