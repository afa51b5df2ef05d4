/** @file Opinions about a move: a reason, a critique, or whether it was right. The reviewer may be a model, a trained agent or a script. */

import { type AnyEnvironment, type Policy, type Rng, rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import type { LoggedTurn } from '../log-turns.ts';

/** The reviewer and its environment. */
export interface StepReviewer {
  readonly environment: AnyEnvironment;
  readonly writer: Policy;
}

/** A reviewer's answer about a move. A script of the environment ignores the question and answers with its own move. */
export async function askAbout(
  { environment, writer }: StepReviewer,
  { turn, action }: LoggedTurn,
  wanted: string,
  dice: Rng,
): Promise<string> {
  if (isScript(environment, writer)) return (await writer.act([{ ...turn, rng: dice }]))[0].action.text;
  return (await writer.act([{ ...questionAbout({ turn, action }, wanted), rng: dice }]))[0].action.text.trim();
}

/** The turn with a question about its move. */
export function questionAbout({ turn, action }: Pick<LoggedTurn, 'turn' | 'action'>, wanted: string): Turn {
  const { seat, seen } = turn.view;
  const text = `You answered: ${action.text}\n${wanted}`;
  return { ...turn, view: { seat, seen: [...seen, { kind: 'message', to: [seat], from: 'teacher', text }] } };
}

/** Whether a move was right: it equals a script's move, or a reviewer that reads text does not call it wrong. */
export async function isRight(stepReviewer: StepReviewer, logged: LoggedTurn): Promise<boolean> {
  const dice = rng(logged.at, 'verdict', logged.seat);
  const about = await askAbout(stepReviewer, logged, 'Was this step right or wrong? Answer with one word.', dice);
  return isScript(stepReviewer.environment, stepReviewer.writer) ? about === logged.action.text : !/\bwrong\b/i.test(about);
}

/** Whether a policy is a script of the environment. */
export function isScript({ scripts = {} }: AnyEnvironment, { name }: Policy): boolean {
  return Object.hasOwn(scripts, name.replace(/^scripted:/, ''));
}
