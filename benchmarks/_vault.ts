/**
 * @file A bench for teams without a language model: a vault whose code is split among the members, who are models without weights. All that
 * chance can do is known exactly, so a team's gain is a fact and not an impression.
 */

import { createAgentLoader } from '@ludus-agents/agents/internal/kinds';
import { fakeModel } from '@ludus-agents/agents/internal/models/fake';
import type { ToolSet } from '@ludus-agents/agents/internal/tools/tool';
import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { fillForm, formWords } from '@ludus-agents/environments/internal/discussion/forms';
import type { AgentSpec, AnyEnvironment, EpisodeEvent, Json, Model, Prompt, Rng } from '@ludus-agents/kernel/internal/core/index';
import { parameter, readTask, rng } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';

const parameters = {
  code: parameter.string({ default: '111', description: 'what opens it' }),
  tries: parameter.integer({ min: 1, max: 64, default: 1, description: 'codes that may be tried' }),
} as const;

/** One seat, a code of three digits from 1 to 4, and so many tries; the right code pays 1. */
export const vault: AnyEnvironment = {
  id: 'vault@1',
  about: { summary: 'A vault with a code of three digits.', tasks: [{}], turns: 64 },
  parameters,
  task: (input: Json) => readTask('vault', parameters, input),
  seats: () => ['opener'],
  start: (task: { code: string; tries: number }) => ({
    state: { ...task, left: task.tries },
    messages: [{ to: ['opener'], text: 'A vault opens with a code of three digits, each from 1 to 4. Name a code.' }],
    asks: [{ seat: 'opener' }],
  }),
  step(state: { code: string; left: number }, actions: Readonly<Record<string, { text: string }>>) {
    const opened = /[1-4]{3}/.exec(actions['opener']?.text ?? '')?.[0] === state.code;
    if (opened) return { state, messages: [{ to: ['opener'], text: 'It opens.' }], asks: [], rewards: { opener: 1 } };
    const left = state.left - 1;
    return {
      state: { ...state, left },
      messages: [{ to: ['opener'], text: 'It stays shut.' }],
      asks: left === 0 ? [] : [{ seat: 'opener' }],
    };
  },
  knows: (state: { left: number }) => ({ left: state.left }),
};

/** What a member is certain of, or, if it lies, says. */
export interface Knower {
  readonly name: string;
  readonly digits: Readonly<Record<number, number>>;
}

/** A code by chance. */
export function codeOf(seed: number): readonly number[] {
  const dice = rng(seed, 'vault');
  return [0, 1, 2].map(() => 1 + dice.int(4));
}

/** Someone who asserts another value for every digit. */
export function liar(name: string, code: readonly number[], dice: Rng): Knower {
  return { name, digits: Object.fromEntries(code.map((value, i) => [i + 1, 1 + ((value - 1 + 1 + dice.int(3)) % 4)])) };
}

const fact = /digit (\d) is (\d)/gi;

/** A model without weights: it says what its instruction tells it, takes for each digit the value that most assert, and guesses the rest. */
function memberModel(team: readonly string[]): Model {
  return fakeModel({
    id: 'fake/member',
    answers(prompt: Prompt, dice: Rng): string {
      // With tools it knows nothing before it has looked.
      const [tool] = prompt.tools ?? [];
      const results = prompt.messages.flatMap(({ role, content }) => (role === 'user' && isResult(content) ? [String(content)] : []));
      if (tool !== undefined && results.length === 0) return `Tool: ${tool.name} {}`;
      const system = prompt.messages.flatMap(({ role, content }) => (role === 'system' ? [String(content)] : [])).join('\n');
      const receivedText = prompt.messages
        .flatMap(({ role, content }) => (role === 'user' && !isResult(content) ? [String(content)] : []))
        .join('\n');
      const tried = prompt.messages.flatMap(({ role, content }) => (role === 'assistant' ? [String(content)] : [])).join('\n');
      const matches = [...system.matchAll(fact), ...results.join('\n').matchAll(fact)];
      const says = matches.map(([text]) => `${text}.`).join(' ');
      // What is asked is in one line, the last that has a form in it.
      const isForm = (line: string) => /"(?:Step|Next|Agree|Score|Rate|Answer)\b|asks you:/.test(line) || formWords.test(line);
      const observedText = receivedText.split('\n').findLast(isForm) ?? '';
      const asserted = [...matches, ...receivedText.matchAll(fact)];
      const code = mergeCodes(asserted, dice);
      const lines = says === '' ? [] : [says];
      const others = team.filter((name) => !system.includes(`You are ${name}.`));
      const sure = ['1', '2', '3'].every((place) => asserted.some(([, at]) => at === place));
      const form = fillForm(observedText, { code, sure, others, spoke: others.filter((name) => receivedText.includes(`${name}: `)) });
      if (form !== null) return [...lines, ...form].join('\n');
      if (observedText.includes('"Next: NAME"')) {
        const silent = others.find((name) => !receivedText.includes(`${name}: `));
        if (silent !== undefined) return `${says}\nDone: no\nProgress: yes\nNext: ${silent}\nTask: say which digit you know.`;
        lines.push('Done: yes');
      }
      const last = [...receivedText.matchAll(/Answer: (\d{3})/g)].at(-1)?.[1] ?? '';
      const fits = matches.every(([, place, value]) => last[Number(place) - 1] === value);
      if (observedText.includes('"Agree: yes"')) return [...lines, `Agree: ${fits ? 'yes' : 'no'}`].join('\n');
      if (observedText.includes('"Score: …"')) return [...lines, `Score: ${last === code ? 10 : 3}`].join('\n');
      for (const [, name] of observedText.matchAll(/"Rate ([^:"]+): …"/g)) lines.push(`Rate ${name}: 4`);
      return [...lines, `Answer: ${findUntriedCode(code, matches, { tried, shut: receivedText.includes('It stays shut.') }, dice)}`].join(
        '\n',
      );
    },
  });
}

const isResult = (content: unknown) => String(content).startsWith('Result of ');

/** For each digit, the value asserted most often, with ties broken at random; a guess if no member spoke. */
function mergeCodes(asserted: readonly RegExpMatchArray[], dice: Rng): string {
  return [1, 2, 3]
    .map((place) => {
      const counts = [1, 2, 3, 4].map((value) => asserted.filter(([, p, v]) => Number(p) === place && Number(v) === value).length);
      const most = Math.max(...counts);
      return dice.pick([1, 2, 3, 4].filter((value) => counts[value - 1] === most));
    })
    .join('');
}

/** Another code where this one was tried: anyone who may try again tries something else that fits what it knows. */
function findUntriedCode(
  code: string,
  ownItems: readonly RegExpMatchArray[],
  { tried, shut }: { readonly tried: string; readonly shut: boolean },
  dice: Rng,
): string {
  const all = Array.from({ length: 64 }, (_, i) => `${1 + (i >> 4)}${1 + ((i >> 2) & 3)}${1 + (i & 3)}`);
  const left = all.filter((item) => !tried.includes(item) && ownItems.every(([, place, value]) => item[Number(place) - 1] === value));
  return shut && tried.includes(code) && left.length > 0 ? dice.pick(left) : code;
}

function factsOf({ digits }: Knower): string {
  return Object.entries(digits)
    .map(([place, value]) => `Digit ${place} is ${value}.`)
    .join(' ');
}

/** A member who is told what it knows, or has its own tool that says it. */
function specOf(knower: Knower, split: VaultOptions['split']): AgentSpec {
  const spec: AgentSpec = { name: knower.name, kind: 'llm', model: 'fake/member' };
  const instruction = `You are ${knower.name}.`;
  if (split !== 'tools') return { ...spec, texts: { instruction: `${instruction} ${factsOf(knower)}` } };
  return { ...spec, texts: { instruction }, tools: [knower.name], settings: { architecture: 'react', steps: 1 } };
}

/** The tool of each member. No other member gets it: it returns the facts that this member would have been shown. */
function gaugesOf(knowers: readonly Knower[]): ToolSet {
  return {
    open: async (name) => ({
      tools: knowers
        .filter((knower) => knower.name === name)
        .map((knower) => ({
          spec: { name: `gauge_${name}`, description: 'Says what can be seen of the code.', parameters: { type: 'object' } },
          call: async () => ({ ok: true, text: factsOf(knower) }),
        })),
      close: async () => undefined,
    }),
  };
}

export interface VaultPlay {
  readonly opened: boolean;
  /** Calls of models, which is also the messages that were sent. */
  readonly calls: number;
  readonly log: readonly EpisodeEvent[];
}

export interface VaultOptions {
  readonly seed: number;
  readonly protocol?: string;
  readonly tries?: number;
  readonly links?: Json;
  /** Are members told what they know, or has each a tool that says it? */
  readonly split?: 'knowledge' | 'tools';
}

/** One vault, opened by a team under a protocol, or by one member alone with several tries. */
export async function openVault(knowers: readonly Knower[], code: readonly number[], options: VaultOptions): Promise<VaultPlay> {
  const { seed, protocol, tries = 1, links, split } = options;
  const model = memberModel(knowers.map(({ name }) => name));
  const load = createAgentLoader({ model: async () => model, environment: builtInEnvironment, tools: gaugesOf(knowers) });
  const specs = knowers.map((knower) => specOf(knower, split));
  const spec: AgentSpec =
    protocol === undefined
      ? specs[0]
      : {
          name: 'team',
          kind: 'team',
          settings: {
            protocol,
            members: specs,
            // No member is cut off before all have been asked.
            most: 60,
            ...(links === undefined ? {} : { links }),
            ...(protocol === 'pipeline' ? { modules: tellingModules(knowers) } : {}),
          },
        };
  const agent = await load(spec, 'opener', vault);
  const log: EpisodeEvent[] = [];
  for await (const event of play(vault, { opener: agent }, { seed, task: { code: code.join(''), tries } })) log.push(event);
  const end = log.at(-1) as Extract<EpisodeEvent, { kind: 'end' }>;
  if (end.reason !== 'over') throw new Error(end.fault?.message ?? end.reason);
  const calls = log.reduce((sum, event) => sum + (event.kind === 'action' ? (event.calls?.length ?? 0) : 0), 0);
  return { opened: end.returns['opener'] === 1, calls, log };
}

/** Three members, each certain of one digit. */
export function knowersOf(code: readonly number[]): readonly Knower[] {
  return ['Ann', 'Ben', 'Cleo'].map((name, i) => ({ name, digits: { [i + 1]: code[i] } }));
}

/** This many who know each digit, and one who asserts another value for every digit. */
export function createSabotagedTeam(code: readonly number[], knowers: number, seed: number): readonly Knower[] {
  const honest = Array.from({ length: knowers }, (_, k) => knowersOf(code).map(({ name, digits }) => ({ name: `${name}${k}`, digits })));
  return [...honest.flat(), liar('Sam', code, rng(seed, 'liar'))];
}

/** A pipeline in which every other member says what it knows, and the first one answers. */
function tellingModules([first, ...others]: readonly Knower[]): Json {
  const requests = others.map(({ name }) => ({
    name: `ask ${name}`,
    by: name,
    tell: `${first?.name} asks you: say which digit you know.`,
  }));
  return [...requests, { name: 'act', tell: 'Name the code.' }];
}
