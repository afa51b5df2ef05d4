/**
 * @file A game about single steps of another environment (SPC, arXiv 2504.19162): a generator inserts a wrong step into an expert's
 * episode, and a critic classifies every step as right or wrong. The game is zero-sum. A change that does not lower the return is not an
 * error, and neither side is rewarded.
 *
 * The critic reads what its seat had seen and the step, so that it can judge the steps of any episode: it is a scorer once it is trained.
 */

import type { AnyEnvironment, Environment, Json, Script, Seat, Step, Turn } from '@ludus-agents/kernel/internal/core/index';
import { Fault, nameOf, rng, textOf } from '@ludus-agents/kernel/internal/core/index';
import { Course } from '@ludus-agents/kernel/internal/engine/course';
import { createStartEvent } from '@ludus-agents/kernel/internal/engine/play';

export interface StepGameOptions {
  /** The script of the environment whose steps count as right. */
  readonly expert: string;
  /** The number of different expert episodes to draw from. */
  readonly episodes: number;
}

/** A step of the expert, by its episode and number; `step` is the text for the critic, once it is chosen. */
type State = { readonly task: Json; readonly episode: number; readonly number: number; readonly step: string | null };

/** A step of the expert with the available moves. */
interface ExpertStep {
  readonly turn: Turn;
  readonly right: string;
  readonly choices: readonly string[];
}

const verdicts = ['right', 'wrong'] as const;

/** The critic's question about a step, the same in the game as in any episode. */
function stepQuestion(turn: Pick<Turn, 'view'>, step: string): string {
  return `${textOf(turn.view)}Step: ${step}\nIs this step right or wrong?`;
}

/** The critic's turn for a step, as in the game. */
export function criticTurn(turn: Turn, step: string): Turn {
  const message = { kind: 'message' as const, to: ['critic'], text: stepQuestion(turn, step) };
  return { view: { seat: 'critic', seen: [message] }, ask: { seat: 'critic', choices: verdicts }, rng: turn.rng };
}

export function createStepGame(base: AnyEnvironment, { expert, episodes }: StepGameOptions): Environment<State, Json> {
  const right = base.scripts?.[expert];
  if (right === undefined)
    throw new Fault(
      'input',
      `${base.id} has no script "${expert}" with correct steps. Available: ${Object.keys(base.scripts ?? {}).join(', ') || 'none'}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  const knownEntries = new Map<string, readonly ExpertStep[]>();
  const expertOf = (task: Json, episode: number) => {
    const key = JSON.stringify([task, episode]);
    const steps = knownEntries.get(key) ?? playStep(base, { task, episode, script: right }).steps;
    knownEntries.set(key, steps);
    return steps;
  };
  const lowers = new Map<string, boolean>();
  const isError = ({ task, episode, number, step }: State): boolean => {
    const key = JSON.stringify([task, episode, number, step]);
    const lower =
      lowers.get(key) ??
      playStep(base, { task, episode, script: right, change: { number, step: step! } }).paid <
        playStep(base, { task, episode, script: right }).paid;
    lowers.set(key, lower);
    return lower;
  };
  const question = (state: State): Pick<Step<State>, 'messages' | 'asks'> => {
    const { turn } = expertOf(state.task, state.episode)[state.number];
    const { text } = criticTurn(turn, state.step!).view.seen[0] as { text: string };
    return { messages: [{ to: ['critic'], text }], asks: [{ seat: 'critic', choices: verdicts }] };
  };
  return {
    id: `steps-of-${nameOf(base)}@1`,
    about: {
      summary: `A generator slips wrong steps into episodes of ${nameOf(base)}, and a critic finds them.`,
      tasks: base.about.tasks,
      turns: 2,
      complete: true,
    },
    parameters: base.parameters,
    task: (input) => base.task(input) as Json,
    seats: () => ['generator', 'critic'],
    start(task, dice) {
      const episode = dice.int(episodes);
      const steps = expertOf(task, episode);
      const number = dice.int(steps.length);
      const { turn, right: best, choices } = steps[number];
      const others = choices.filter((choice) => choice !== best);
      // Every other step is the expert's own, so that always answering "wrong" does not pay.
      if (others.length === 0 || dice.int(2) === 0) {
        const state = { task, episode, number, step: best };
        return { state, ...question(state) };
      }
      const text = `${textOf(turn.view)}The right step is ${best}. Name another that will be taken for right.`;
      return {
        state: { task, episode, number, step: null },
        messages: [{ to: ['generator'], text }],
        asks: [{ seat: 'generator', choices: others }],
      };
    },
    step(state, actions) {
      const { right: best, choices } = expertOf(state.task, state.episode)[state.number];
      if (state.step === null) {
        const step = actions['generator']?.text ?? '';
        const next = { ...state, step };
        if (!choices.includes(step) || step === best) return { state: next, messages: [], asks: [], penalties: { generator: 1 } };
        return { state: next, ...question(next) };
      }
      const verdict = actions['critic']?.text;
      const over = { state, messages: [], asks: [] };
      if (verdict !== 'right' && verdict !== 'wrong') return { ...over, penalties: { critic: 1 } };
      if (state.step === best) return { ...over, rewards: { critic: verdict === 'right' ? 1 : -1, generator: 0 } };
      if (!isError(state)) return { ...over, rewards: { critic: 0, generator: 0 } };
      const criticReward = verdict === 'wrong' ? 1 : -1;
      return { ...over, rewards: { critic: criticReward, generator: -criticReward } };
    },
  };
}

/** An expert episode with at most one changed step: its steps, and the seat's return. */
function playStep(
  base: AnyEnvironment,
  {
    task,
    episode,
    script,
    change,
  }: {
    readonly task: Json;
    readonly episode: number;
    readonly script: Script;
    readonly change?: { readonly number: number; readonly step: string };
  },
): { readonly steps: readonly ExpertStep[]; readonly paid: number } {
  const seats: readonly Seat[] = base.seats(base.task(task));
  const [seat] = seats as readonly [Seat];
  const names = Object.fromEntries(seats.map((seat) => [seat, { name: 'expert' }]));
  const course = new Course(base, createStartEvent(base, names, { seed: episode, task }));
  const steps: ExpertStep[] = [];
  while (!course.over) {
    for (const ask of [...course.waiting]) {
      const turn = course.turn(ask);
      const answer = (base.scripts?.[ask.seat] ?? script)({ ...turn, rng: rng(episode, 'expert', ask.seat, steps.length) });
      const action = 'action' in answer ? answer.action : answer;
      const changed = ask.seat === seat && change?.number === steps.length ? { text: change.step } : action;
      if (ask.seat === seat)
        steps.push({
          turn: { ...turn, view: { ...turn.view, seen: [...turn.view.seen] } },
          right: action.text,
          choices: ask.choices ?? [],
        });
      course.answer(ask.seat, { action: changed });
    }
  }
  const end = course.events.at(-1);
  return { steps, paid: end?.kind === 'end' ? (end.returns[seat] ?? 0) - (end.penalties[seat] ?? 0) : 0 };
}
