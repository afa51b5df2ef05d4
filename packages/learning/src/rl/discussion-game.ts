/**
 * @file A game about the first question of another environment in which rewards come from the discussion alone (CoMAS, arXiv 2510.08529):
 * one agent answers, one criticizes, one scores the answer with 1, 2 or 3. The answerer receives (score − 1) / 2 and the critic the rest of
 * 1; the scorer receives no reward, and a penalty for an unreadable score.
 */

import { type AnyEnvironment, type Environment, type Json, nameOf, type Script, type Seat } from '@ludus-agents/kernel/internal/core/index';

const [solver, critic, scorer] = ['solver', 'critic', 'scorer'] as const;

type State = {
  readonly base: Json;
  readonly own: Seat;
  readonly question: string;
  readonly choices: readonly string[] | null;
  readonly solution: string | null;
  readonly critique: string | null;
};

const critiques = ['The answer is sound.', 'The answer is wrong.'] as const;
const scores = ['1', '2', '3'] as const;

export function createDiscussionGame(base: AnyEnvironment): Environment<State, Json> {
  const askSeat = (seat: Seat, text: string, choices: readonly string[] | null, data?: Json) => ({
    messages: [{ to: [seat], text }],
    asks: [{ seat, ...(choices !== null && { choices }), ...(data !== undefined && { data }) }],
  });
  return {
    id: `discussion:${base.id}`,
    about: {
      summary: `Agents answer, criticise and score the first question of ${nameOf(base)}; they are paid by each other's scores alone.`,
      tasks: base.about.tasks,
      turns: 3,
    },
    parameters: base.parameters,
    task: (input) => base.task(input) as Json,
    seats: () => [solver, critic, scorer],
    start(task, dice) {
      const { state, messages, asks } = base.start(task, dice);
      const { seat: ownText, choices } = asks[0] ?? { seat: base.seats(task)[0] };
      const question = messages.flatMap(({ to, text }) => (to.includes(ownText) ? [text] : [])).join('\n');
      const next: State = { base: state, own: ownText, question, choices: choices ?? null, solution: null, critique: null };
      return { state: next, ...askSeat(solver, question, next.choices) };
    },
    step(state, actions, dice) {
      const { question, solution, critique } = state;
      if (solution === null) {
        const spokenText = actions[solver]?.text ?? '';
        return {
          state: { ...state, solution: spokenText },
          ...askSeat(critic, `${question}\nAnswer: ${spokenText}\nCriticise it in a sentence.`, critiques),
        };
      }
      if (critique === null) {
        const spokenText = actions[critic]?.text ?? '';
        const text = `${question}\nAnswer: ${solution}\nCriticism: ${spokenText}\nScore the answer: 1 (wrong), 2 (unsure) or 3 (right).`;
        // The environment's payment for the answer, for scripts that simulate an informed scorer; it is not in any agent's text.
        const tried = base.step(state.base, { [state.own]: { text: solution } }, dice);
        const payment = (tried.rewards?.[state.own] ?? 0) - (tried.penalties?.[state.own] ?? 0);
        return { state: { ...state, critique: spokenText }, ...askSeat(scorer, text, scores, { paid: payment }) };
      }
      const score = Number(/[123]/.exec(actions[scorer]?.text ?? '')?.[0] ?? Number.NaN);
      const over = { state, messages: [], asks: [] };
      if (Number.isNaN(score)) return { ...over, penalties: { [scorer]: 1 } };
      const worth = (score - 1) / 2;
      return { ...over, rewards: { [solver]: worth, [critic]: 1 - worth, [scorer]: 0 } };
    },
    scripts: { knowing, praising },
  };
}

/** A scorer that knows the environment's payment and ignores criticism. */
const knowing: Script = ({ ask }) => ({ text: ((ask.data as { readonly paid?: number } | undefined)?.paid ?? 0) > 0 ? '3' : '1' });

/** The control: a scorer that always gives the top score. */
const praising: Script = () => ({ text: '3' });
