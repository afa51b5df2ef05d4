/** @file Scripted supporters, seekers, therapists, and patients. */

import { Fault, type JsonObject, type Script, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { expressions, fields, statements, treatments } from './arena.ts';
import { facts, feelings, plans } from './cards.ts';
import { detectStage, feelingIn, planIn } from './seekers.ts';

type Heard = {
  readonly said: string;
  readonly turn: number;
  readonly stages: readonly string[];
};

/** Returns everything the seeker has said so far. */
function wordsBefore({ view, ask }: Turn): readonly string[] {
  if (ask.seat !== 'supporter') throw new Fault('input', 'This script gives support. Use it for the seat "supporter".');
  return view.seen.flatMap((item) => (item.kind === 'message' && item.from === 'seeker' ? [item.text] : []));
}

function showing<K extends string>(signs: Readonly<Record<K, string>>, statements: readonly string[]): K | null {
  for (const name in signs) if (statements.some((statement) => statement.includes(signs[name]))) return name;
  return null;
}

/** Combines a supporter for staged talks and one for the arena; the ask selects between them. */
function supporting(
  talk: (turn: Turn, statements: readonly string[]) => { move: string; stage: number },
  consult: (turn: Turn) => string,
): Script {
  return (turn) => {
    const data = turn.ask.data as unknown as Heard & { readonly treated?: unknown };
    const statements = wordsBefore(turn);
    if (data.treated !== undefined) return { text: consult(turn) };
    const { move, stage } = talk(turn, statements);
    return { text: `[${move}]`, data: { stage: data.stages[stage] } };
  };
}

const anything = ({ ask, rng }: Turn) => rng.pick(ask.choices ?? []);

/** Asks about each field, states what it heard, and treats by the behavior. */
function reading({ ask }: Turn): string {
  const { said } = ask.data as { readonly said: readonly number[] };
  if ((ask.choices ?? []).length === treatments.length) return `[treat ${treatments[said[2]] ?? treatments[0]}]`;
  const open = said.findIndex((word) => word < 0);
  if (open >= 0) return `[ask ${fields[open]}]`;
  return [...statements].find(([, card]) => card.every((code, i) => code === said[i]))![0];
}

const questionsAsked = (statements: readonly string[]) => Math.max(0, statements.length - 1);

export const scripts: Readonly<Record<string, Script>> = {
  /** Works stage by stage: asks about all facts until the feeling shows, names it, and suggests the plan that then shows. */
  staged: supporting((_, statements) => {
    const plan = showing(plans, statements);
    if (plan !== null) return { move: `suggest ${plan}`, stage: 2 };
    const feeling = showing(feelings, statements);
    return feeling === null
      ? { move: `question ${facts[questionsAsked(statements) % facts.length]}`, stage: 0 }
      : { move: `reflect ${feeling}`, stage: 1 };
  }, reading),
  /** Infers the stage from the seeker's words, and reflects or suggests accordingly. Works for unknown seekers. */
  detecting: supporting((turn, statements) => {
    const stage = detectStage(statements);
    const tried = new Set(turn.view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : [])));
    const untried = (verb: string, names: readonly string[]) => names.find((name) => !tried.has(`[${verb} ${name}]`)) ?? names[0];
    if (stage === 0) return { move: `question ${facts[questionsAsked(statements) % facts.length]}`, stage };
    const text = statements.slice(1).join(' ');
    const feeling =
      stage === 1
        ? feelingIn(text)
        : planIn(statements.findLast((item) => /^\W*yes, that is it/i.test(item)) ?? statements[statements.length - 1]);
    const verb = stage === 1 ? 'reflect' : 'suggest';
    const isNew = feeling !== null && !tried.has(`[${verb} ${feeling}]`);
    return { move: `${verb} ${isNew ? feeling : untried(verb, Object.keys(stage === 1 ? feelings : plans))}`, stage };
  }, reading),
  /** Has the same knowledge but no stages: alternates between asking, reflecting, and suggesting. */
  stageless: supporting((_, statements) => {
    const text = statements.join(' ');
    const turn = questionsAsked(statements);
    const move = [
      `question ${facts[Math.floor(turn / 3) % facts.length]}`,
      `reflect ${feelingIn(text) ?? 'fear'}`,
      `suggest ${planIn(text) ?? 'talk'}`,
    ][turn % 3];
    return { move, stage: turn % 3 };
  }, reading),
  /** Gives advice immediately. */
  adviser: supporting((turn) => ({ move: `suggest ${turn.rng.pick(Object.keys(plans))}`, stage: 2 }), anything),
  /** Is kind but makes no progress. */
  listener: supporting((turn) => ({ move: turn.rng.int(2) === 0 ? 'affirm' : 'restate', stage: 0 }), anything),
  /** Says its cue, or the word of its symptom. */
  seeker: ({ ask }: Turn) => {
    const data = ask.data as JsonObject;
    if (typeof data['cue'] === 'string') return { text: data['cue'] };
    const field = fields.find((field) => ask.choices?.[0] === `[say ${expressions[field][0]}]`)!;
    return { text: `[say ${expressions[field][data['code'] as number]}]` };
  },
};
