/** @file Explains an answer of an agent: the statements, memories and lore behind it, its mood and its thoughts. */

import { type ActionEvent, type EpisodeEvent, type Seen, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { affectWords } from './mind/affect.ts';
import { readMind } from './mind/mind.ts';
import { bm25, termsOf } from './mind/relevance.ts';
import { activateLore, expandMacros, type Persona, statementLine } from './personas/index.ts';
import { compile } from './personas/lore/compile.ts';

export interface Because {
  /** Statements that the answer rests on: those a script names, or for a model those with words nearest to the question and answer. */
  readonly statements: readonly { readonly id: string; readonly text: string }[];
  readonly memories: readonly { readonly id: string; readonly text: string }[];
  /** The sentence encoder that ranked the memories; null if they were ranked by words. */
  readonly encoder: string | null;
  /** The lore entries recalled, each with the key that triggered it if the key is among the words seen. */
  readonly lore: readonly { readonly id: string; readonly text: string; readonly key?: string }[];
  readonly mood: string;
  readonly thought: string;
  readonly prompt: { readonly tokens: number; readonly stable: number } | null;
}

/** Explains the last answer of a seat; null before its first answer. */
export function explainAction(persona: Persona, events: readonly EpisodeEvent[], seat: string): Because | null {
  const at = events.findLastIndex((event) => event.kind === 'action' && event.seat === seat);
  if (at < 0) return null;
  const answer = events[at] as ActionEvent;
  const { seen } = viewOf(events.slice(0, at), seat);
  const mind = readMind(answer.mind);
  const records = new Map((mind?.memory?.records ?? []).map(({ id, text }) => [id, text]));
  return {
    statements: (findCitedLines(persona, answer) ?? nearest(persona, `${lastHeard(seen)} ${answer.action.text}`)).map(({ id, text }) => ({
      id,
      text: expandMacros(text, { char: persona.nickname || persona.name, user: 'you' }),
    })),
    memories: (mind?.why?.memories ?? []).map((id) => ({ id, text: records.get(id) ?? messageTextAt(seen, id) })),
    encoder: mind?.why?.encoder ?? null,
    lore: lorePages(persona, mind?.why?.lore ?? [], seen),
    mood: mind?.affect === undefined ? '' : affectWords(mind.affect, mind.turn - 1, persona.affect),
    thought: mind?.thought ?? '',
    prompt: mind?.prompt ?? null,
  };
}

/** Statements that a script names as the source of its answer. */
function findCitedLines({ statements, voice, goals }: Persona, { mind, action }: ActionEvent): Because['statements'] | null {
  const ids = (mind as { why?: { statements?: readonly string[] } } | undefined)?.why?.statements;
  if (ids === undefined) return null;
  return ids.map((id) => {
    const example = voice.examples.find((example) => example.id === id);
    const spoken = example?.turns.map(({ speaker, speech }) => `${speaker}: ${speech}`).join(' / ');
    return {
      id,
      text:
        statements.find((statement) => statement.id === id)?.text ?? goals.find((goal) => goal.id === id)?.text ?? spoken ?? action.text,
    };
  });
}

function lorePages({ lore, name, nickname, tags }: Persona, ids: readonly string[], observations: readonly Seen[]): Because['lore'] {
  if (ids.length === 0) return [];
  const pages = compile(lore);
  const names = { char: nickname || name, user: 'you' };
  const messages = observations.flatMap((item) => (item.kind === 'message' ? [item.text] : []));
  const { placed } = activateLore(lore, { messages, turn: messages.length, seed: 0, scene: '', name, tags });
  const keys = new Map(placed.flatMap(({ id, key }) => (key === undefined ? [] : [[id, key] as const])));
  return ids.map((id) => {
    const key = keys.get(id);
    const text = expandMacros(pages.find((page) => page.id === id)?.content ?? '', names);
    return { id, text, ...(key === undefined ? {} : { key }) };
  });
}

const most = 3;

function nearest({ statements }: Persona, text: string): Because['statements'] {
  const scores = bm25(
    termsOf(text),
    statements.map((statement) => termsOf(`${statement.text} ${(statement.keys ?? []).join(' ')}`)),
  );
  return statements
    .map((statement, i) => ({ id: statement.id, text: statementLine(statement), score: scores[i]! }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map(({ id, text: line }) => ({ id, text: line }));
}

function lastHeard(observations: readonly Seen[]): string {
  return observations.findLast((item) => item.kind === 'message')?.text ?? '';
}

function messageTextAt(observations: readonly Seen[], id: string): string {
  const item = observations[Number(id.slice(1))];
  return item?.kind === 'message' ? `${item.from === undefined ? '' : `${item.from}: `}${item.text}` : '';
}
