/**
 * @file A discussion: members with different knowledge talk under a protocol until they have one answer. A team that plays one seat of
 * another environment plays one discussion per turn.
 */

import type { Ask, Environment, Json, JsonObject, Message, Rng, Seat, Step, TaskOf } from '@ludus-agents/kernel/internal/core/index';
import { Fault, isObject, parameter, readTask } from '@ludus-agents/kernel/internal/core/index';
import { brief } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { runScript } from '../interpreter/interpreter.ts';
import { teamProtocols } from '../team-protocols.ts';
import { type Discussion, type DiscussionResult, type MemberAsk, type Speech, settle } from './protocol.ts';
import { protocols } from './protocols/index.ts';
import { readModules } from './protocols/pipeline.ts';
import { member } from './scripts.ts';
import { answerIn } from './speech.ts';
import { withToolOutputs } from './tools.ts';

const fence = linear(/```(?:js|javascript|ts)?\s*\n([\s\S]*?)```/);

/** Maximum characters of program output that are added to a speech. */
const longestOutput = 500;

/** Appends the output of the program in a speech, or the reason why the program failed. Returns a speech without a program unchanged. */
export function withOutput(text: string): string {
  const program = fence.exec(text)?.[1];
  if (program === undefined) return text;
  const { ok, value, printed, problem } = runScript({ 'main.js': program }, 'main.js');
  const output = [
    ...(printed === '' ? [] : [printed]),
    ...(value === null ? [] : [typeof value === 'string' ? value : JSON.stringify(value)]),
  ].join(' ');
  return `${text}\n${ok ? 'Output' : 'Error'}: ${(ok ? output : problem).replace(/\s+/g, ' ').slice(0, longestOutput)}`;
}

const parameters = {
  protocol: parameter.choice({
    options: teamProtocols,
    default: 'in-order',
    description: 'who speaks when, who hears whom, and when it is over',
  }),
  question: parameter.string({
    default: 'A vault opens with a code of three digits, each from 1 to 4. Find the code, written as three digits.',
    description: 'the question, shown to all members',
  }),
  members: parameter.json({ default: ['Ann', 'Ben', 'Cleo'], description: 'who takes part, by name; each is a seat' }),
  knowledge: parameter.json({
    default: { Ann: 'Digit 1 is 3.', Ben: 'Digit 2 is 1.', Cleo: 'Digit 3 is 4.' },
    description: 'facts that only one member knows',
  }),
  links: parameter.json({ default: null, description: 'pairs [SPEAKER, LISTENER] (default: all pairs)' }),
  lead: parameter.string({ default: '', description: 'the member who plans, merges, or decides (default: the first)' }),
  choices: parameter.json({ default: [], description: 'valid answers (default: any text)' }),
  truth: parameter.string({ default: '314', description: 'the right answer, which pays 1 to each member; empty for no reward' }),
  rounds: parameter.integer({ min: 1, max: 20, default: 3, description: 'maximum number of rounds, plans, or candidates' }),
  threshold: parameter.number({ min: 0, max: 10, default: 8, description: 'refine: the score at which refining stops' }),
  most: parameter.integer({ min: 1, max: 200, default: 24, description: 'maximum number of speeches' }),
  settings: parameter.json({
    default: null,
    description: 'settings of one protocol, such as the modules of a pipeline',
  }),
} as const;

type TaskParameters = TaskOf<typeof parameters>;
type Task = Omit<TaskParameters, 'members' | 'links' | 'choices' | 'knowledge' | 'settings'> & {
  readonly members: readonly Seat[];
  readonly links: readonly (readonly [Seat, Seat])[] | null;
  readonly choices: readonly string[];
  readonly knowledge: { readonly [seat: Seat]: string };
  readonly settings?: JsonObject;
};

type State = {
  readonly task: Task;
  readonly order: readonly Seat[];
  readonly said: readonly Speech[];
  /** The members that are being asked, each with the part of the protocol. */
  readonly asked: readonly { readonly seat: Seat; readonly part: string; readonly as?: string; readonly code?: true }[];
  /**
   * `heard`: by member (including created members), the indexes of the speeches it has heard. `told`: by seat, all messages it received.
   */
  readonly heard: { readonly [member: string]: readonly number[] };
  readonly told: { readonly [seat: Seat]: readonly string[] };
  readonly result: DiscussionResult | null;
};

export const discussion: Environment<State, Task> = {
  id: 'discussion@4',
  about: {
    summary:
      'Members who know different things discuss a question under a protocol until they agree on an answer: in turns, in rounds with ratings, with an orchestrator, by a plan, by proposals, by exchanging plans, as maker and judge, with guidance, on a graph of thoughts, by a design, or in modules. A team on a seat of another environment decides on its turns this way. The right answer pays 1 to each member.',
    tasks: teamProtocols.map((protocol) => ({ protocol })),
    turns: 24,
  },
  parameters,
  task: (input) => checkTask(readTask('discussion', parameters, input)),
  seats: ({ members }) => members,

  start(task, rng: Rng) {
    const { members, question, knowledge } = task;
    const each = <T>(value: T) => Object.fromEntries(members.map((seat) => [seat, value]));
    const state: State = {
      task,
      order: rng.shuffle(members),
      said: [],
      asked: [],
      heard: each<readonly number[]>([]),
      told: each<readonly string[]>([]),
      result: null,
    };
    const messages: Message[] = [];
    if (question !== '') messages.push({ to: members, text: `You are in a team: ${members.join(', ')}. ${question}` });
    for (const [seat, text] of Object.entries(knowledge)) messages.push({ to: [seat], text });
    return onward(state, messages);
  },

  step(state, actions) {
    const tools = protocols[state.task.protocol].tools?.(viewOf(state)) ?? [];
    const spoken = state.asked.map(({ seat, part, as, code }): Speech => {
      const written = withToolOutputs(actions[seat]?.text ?? '', tools);
      const text = code === true ? withOutput(written) : written;
      const chances = chancesIn(actions[seat]?.data);
      return {
        ...{ seat, part, text },
        ...(as === undefined ? {} : { as }),
        answer: answerIn(text, state.task.choices),
        ...(chances === null ? {} : { chances }),
      };
    });
    // Members don't receive their own messages, but the output of their programs is new to them.
    const outputs = state.asked.flatMap(({ seat, as, code }, i): readonly Message[] => {
      const output = code === true ? spoken[i].text.slice((actions[seat]?.text ?? '').length).trim() : '';
      return output === '' ? [] : [{ to: [seat], text: output, ...(as === undefined ? {} : { data: { as } }) }];
    });
    return onward({ ...state, said: [...state.said, ...spoken] }, outputs);
  },

  knows: ({ told, asked, result }, seat) => ({
    told: told[seat] ?? [],
    asked: asked.find((item) => item.seat === seat)?.part ?? null,
    over: result !== null,
  }),

  scripts: { member },
};

/** Asks the next members, each with the speeches it must hear first, or ends the discussion. */
function onward(state: State, opening: readonly Message[]): Step<State> {
  const { task } = state;
  const discussion = viewOf(state);
  const protocol = protocols[task.protocol];
  const next = state.said.length >= task.most ? { result: settle(discussion) } : protocol.next(discussion);
  if ('result' in next) return endDiscussion(state, withAnswer(next.result, discussion), opening);
  const messages = [...opening];
  const message: Record<Seat, readonly number[]> = { ...state.heard };
  // A turn asks for at most the number of speeches that are left.
  const asks = next.asks.slice(0, task.most - state.said.length);
  for (const ask of asks) {
    const context = ask.as === undefined ? {} : { data: { as: ask.as } };
    const fresh = ask.hears.filter((i) => isNew(state, ask, i));
    for (const i of fresh) {
      const { seat, as, text } = state.said[i];
      messages.push({ to: [ask.seat], from: seat, text: as === undefined ? text : `${as}: ${text}`, ...context });
    }
    const listener = ask.as ?? ask.seat;
    message[listener] = [...(message[listener] ?? []), ...fresh];
    messages.push({ to: [ask.seat], text: ask.tell, ...context });
  }
  const requests = asks.map(({ seat, part, as, code }) => ({
    ...{ seat, part },
    ...(as === undefined ? {} : { as }),
    ...(code === true ? { code } : {}),
  }));
  return { state: { ...state, heard: message, asked: requests, told: afterTelling(state, messages) }, messages, asks: asks.map(toAsk) };
}

/** If the deciding member named no answer, uses what the members said before, so that a team with an idea does not stay silent. */
function withAnswer(result: DiscussionResult, discussion: Discussion): DiscussionResult {
  const { answer } = result.answer === '' ? settle(discussion) : result;
  return answer === result.answer ? result : { ...result, answer, contested: true };
}

function toAsk({ seat, part, choices = [], act, as }: MemberAsk): Ask {
  const data = { part, ...(act === true ? { act } : {}), ...(as === undefined ? {} : { as }) };
  return { seat, ...(choices.length === 0 ? {} : { choices }), data };
}

/** A member doesn't get its own messages, messages that it already received, or messages of members it can't hear. */
function isNew(state: State, { seat, as }: Pick<MemberAsk, 'seat' | 'as'>, i: number): boolean {
  const speech = state.said[i];
  if (speech === undefined || (speech.as ?? speech.seat) === (as ?? seat)) return false;
  return !(state.heard[as ?? seat] ?? []).includes(i) && (speech.seat === seat || isLinked(state.task, seat, speech.seat));
}

function isLinked({ links }: Task, listener: Seat, speaker: Seat): boolean {
  return links === null || links.some(([from, to]) => from === speaker && to === listener);
}

/** For a member that is a policy: the probability of each move. */
function chancesIn(data: Json | undefined): { readonly [move: string]: number } | null {
  const chances = isObject(data) ? data['chances'] : undefined;
  if (!isObject(chances) || !Object.values(chances).every((chance) => typeof chance === 'number')) return null;
  return chances as { readonly [move: string]: number };
}

function viewOf({ task, order, said }: State): Discussion {
  const { members, lead, choices, rounds, threshold, settings = {} } = task;
  const { memory, turn, observed, repeats, loops } = settings;
  return {
    memory: isObject(memory) ? memory : {},
    turn: typeof turn === 'number' ? turn : 0,
    observed: typeof observed === 'string' ? observed : '',
    repeats: typeof repeats === 'number' ? repeats : 0,
    loops: typeof loops === 'number' ? loops : 0,
    members,
    order,
    lead: lead === '' ? members[0] : lead,
    choices,
    rounds,
    threshold,
    said,
    settings,
    hears: (listener, speaker) => isLinked(task, listener, speaker),
  };
}

function afterTelling({ told }: State, messages: readonly Message[]): State['told'] {
  const out: Record<Seat, readonly string[]> = { ...told };
  for (const { to, text, from } of messages) for (const seat of to) out[seat] = [...(out[seat] ?? []), `${from ?? ''}: ${text}`];
  return out;
}

function endDiscussion(state: State, result: DiscussionResult, opening: readonly Message[]): Step<State> {
  const { members, truth } = state.task;
  const text = result.answer === '' ? 'No answer.' : `The answer is: ${result.answer}`;
  const messages: readonly Message[] = [...opening, { to: members, text }, { to: [], text: 'Result', data: result }];
  const pays = truth === '' ? {} : { rewards: Object.fromEntries(members.map((seat) => [seat, result.answer === truth ? 1 : 0])) };
  return { state: { ...state, asked: [], told: afterTelling(state, messages), result }, messages, asks: [], ...pays };
}

/** Validates the lists in a task. */
function checkTask(task: TaskParameters): Task {
  const { settings, ...speechTask } = task;
  const { members, links, choices, knowledge, lead } = speechTask;
  const isTexts = (value: Json): value is readonly string[] => Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (!isTexts(members) || members.length === 0 || members.length > 16 || new Set(members).size < members.length || members.includes(''))
    throw new Fault('input', `discussion: "members" must be a list of 1 to 16 different names, but got ${brief(members)}.`);
  if (!isTexts(choices)) throw new Fault('input', `discussion: "choices" must be a list of strings, but got ${brief(choices)}.`);
  if (lead !== '' && !members.includes(lead))
    throw new Fault('input', `discussion: the lead "${lead}" must be one of ${members.join(', ')}.${didYouMean(lead, members)}`);
  const isPair = (item: Json) => isTexts(item) && item.length === 2 && item.every((name) => members.includes(name));
  if (links !== null && !(Array.isArray(links) && links.every(isPair)))
    throw new Fault('input', `discussion: "links" must be pairs [SPEAKER, LISTENER] of ${members.join(', ')}, but got ${brief(links)}.`);
  if (typeof knowledge !== 'object' || knowledge === null || Array.isArray(knowledge))
    throw new Fault('input', `discussion: "knowledge" must be an object of strings by member, but got ${brief(knowledge)}.`);
  // The default knowledge applies only to the default members.
  const knownEntries = Object.entries(knowledge).filter(([name]) => members.includes(name));
  const stray = Object.keys(knowledge).find((name) => !members.includes(name));
  if (stray !== undefined && knowledge !== parameters.knowledge.default)
    throw new Fault('input', `discussion: "knowledge" names "${stray}", who is not a member. Members: ${members.join(', ')}.`);
  if (settings !== null && !isObject(settings))
    throw new Fault('input', `discussion: "settings" must be an object, but got ${brief(settings)}.`);
  const read: Task = {
    ...speechTask,
    members,
    choices,
    links: links as Task['links'],
    knowledge: Object.fromEntries(knownEntries) as Task['knowledge'],
  };
  if (speechTask.protocol === 'pipeline') readModules({ members, settings: settings ?? {} });
  else checkSwitches(speechTask.protocol, settings ?? {});
  return settings === null ? read : { ...read, settings };
}

/** Checks that each switched-off name is a mechanism of the protocol. */
function checkSwitches(protocol: Task['protocol'], { off }: JsonObject): void {
  const names = Object.keys(protocols[protocol].mechanisms ?? {});
  const stray = (Array.isArray(off) ? off : []).find((name) => !names.includes(String(name)));
  if (stray === undefined) return;
  const switches = names.length === 0 ? 'it has no mechanism that can be switched off' : `it has ${names.join(', ')}`;
  throw new Fault('input', `off: ${protocol} has no mechanism "${String(stray)}"; ${switches}.${didYouMean(String(stray), names)}`);
}
