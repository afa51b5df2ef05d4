/**
 * @file Lessons for a character from its own document: questions with rated answers, as preference pairs, as examples to imitate, and as a
 * game for a learner in this process. Part of the wordings is held out, to test that more than the wording is learned.
 */

import { type Persona, renderPersona, textOfBuckets } from '@ludus-agents/agents/internal/personas/index';
import type { QuizQuestion } from '@ludus-agents/environments/internal/character-quiz/character-quiz';
import { secretProbes } from '@ludus-agents/evaluation/internal/probes/conversations';
import { knowledgeProbes } from '@ludus-agents/evaluation/internal/probes/knowledge';
import { opposite } from '@ludus-agents/evaluation/internal/probes/persona-facts';
import { visitorName } from '@ludus-agents/evaluation/internal/probes/play-probes';
import type { Probe } from '@ludus-agents/evaluation/internal/probes/probe';
import { moralProbes } from '@ludus-agents/evaluation/internal/probes/temper';
import { type EpisodeEvent, hash, type Json, rng, type Scorer, type Seed } from '@ludus-agents/kernel/internal/core/index';
import type { ImitationRow, PreferenceRow } from './character-data.ts';

export interface CharacterLessons {
  readonly train: readonly QuizQuestion[];
  readonly heldOut: readonly QuizQuestion[];
  readonly pairs: readonly PreferenceRow[];
  readonly imitation: readonly ImitationRow[];
  /** The number of questions before those without a lesson were dropped. */
  readonly asked: number;
  /** Lessons whose best line is the document's answer. */
  readonly asDocument: number;
}

export interface TeachOptions {
  readonly items?: number | undefined;
  readonly seed?: Seed | undefined;
  /** Rates lines instead of using the document's answers: APC, by words or by a model. */
  readonly scorer?: Scorer | undefined;
  readonly signal?: AbortSignal | undefined;
}

const lines = { affirm: 'So it is.', deny: 'No, that is not so.', refuse: 'Of that I know nothing.' } as const;

/**
 * The minimum lead of the best line over every other one, in statements. A scorer's value is a mean over all statements, so a difference
 * means little by itself; from half a statement on, it is likely that at least one statement is followed by the best line and not by the
 * other.
 */
const leastLead = 0.5;

const inert = (text: string) => text.replace(/[[\]\n]+/g, ' ').trim();

/** The possible answers to a probe, with 1 for the right one. */
function questionOf(probe: Probe): QuizQuestion | null {
  const ask = probe.turns[probe.turns.length - 1];
  const valued = (right: string, all: readonly string[]): QuizQuestion => ({
    ask,
    answers: all.map((text) => ({ text, worth: text === right ? 1 : 0 })),
  });
  if (probe.choice !== undefined) {
    const { levels, level } = probe.choice;
    const right = Object.keys(levels).find((letter) => levels[letter] === level);
    return right === undefined ? null : valued(right, Object.keys(levels));
  }
  if (probe.secret !== undefined) return valued(lines.refuse, [lines.refuse, inert(probe.secret.split('\n')[0])]);
  if (probe.key.length > 0) return null;
  const right = probe.gold === 'correct' ? lines.deny : probe.gold === 'refuse' ? lines.refuse : lines.affirm;
  return valued(right, [lines.affirm, lines.deny, lines.refuse]);
}

/** The meaning of a line in its context: a bare yes or no contains no words to compare with the statements. */
function meaningOf(text: string, { claim }: Probe, name: string): string {
  if (claim === undefined || text === lines.refuse) return text;
  const meant = text === lines.affirm ? claim : opposite(claim, name);
  // A character says "I": its name occurs in every statement, and would match all of them.
  return meant === null ? text : meant.replaceAll(name, 'I');
}

/** Holds out every third wording of the questions about one part of the document, whatever the right answer. */
export async function teachCharacter(
  persona: Persona,
  { items = 200, seed = 0, scorer, signal }: TeachOptions = {},
): Promise<CharacterLessons> {
  const probes = [...knowledgeProbes(persona, items, seed), ...secretProbes(persona, visitorName), ...moralProbes(persona, seed)];
  const visited = new Map<string, number>();
  const askedQuestions = new Set<string>();
  const all: { readonly question: QuizQuestion; readonly held: boolean; readonly asDocument: boolean }[] = [];
  for (const probe of probes) {
    const quizQuestion = questionOf(probe);
    if (quizQuestion === null || askedQuestions.has(quizQuestion.ask)) continue;
    askedQuestions.add(quizQuestion.ask);
    const key = `${probe.section} ${probe.source} ${probe.gold}`;
    const at = visited.get(key) ?? 0;
    visited.set(key, at + 1);
    const question =
      scorer === undefined
        ? quizQuestion
        : await rateLines({ scorer, persona, probe }, quizQuestion, signal ?? new AbortController().signal);
    if (question !== null) all.push({ question, held: at % 3 === 2, asDocument: bestLine(question) === bestLine(quizQuestion) });
  }
  const train = all.filter(({ held }) => !held).map(({ question }) => question);
  const system = textOfBuckets(renderPersona(persona), 'A', 'B', 'C', 'D', 'G');
  const rows = train.map((question) => rowsOf(question, system));
  return {
    train,
    heldOut: all.filter(({ held }) => held).map(({ question }) => question),
    pairs: rows.flatMap(({ pairs }) => pairs),
    imitation: rows.map(({ imitation }) => imitation),
    asked: askedQuestions.size,
    asDocument: all.filter(({ asDocument }) => asDocument).length,
  };
}

const bestLine = ({ answers }: QuizQuestion) => answers.find(({ worth }) => worth === 1)?.text;

/** The value of each line by a scorer over a conversation of one question, from 0 to 1; null if no line leads all others by enough. */
async function rateLines(
  { scorer, persona, probe }: { readonly scorer: Scorer; readonly persona: Persona; readonly probe: Probe },
  { ask, answers }: QuizQuestion,
  signal: AbortSignal,
): Promise<QuizQuestion | null> {
  const worths: { text: string; worth: number }[] = [];
  for (const { text } of answers) {
    const events: readonly EpisodeEvent[] = [
      { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['character', 'user'], cast: { character: 'one', user: 'other' } },
      { kind: 'message', to: ['character'], from: 'user', text: ask },
      { kind: 'action', seat: 'character', action: { text: meaningOf(text, probe, persona.name) } },
      { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
    ];
    const document = persona as Json;
    const input = {
      episodes: [{ id: hash([ask, text]).slice(0, 16), events }],
      seat: 'character',
      persona: document,
      rng: rng(0, 'teach'),
    };
    const [score] = await scorer.score(input, signal);
    if (score?.value === null || score === undefined) return null;
    worths.push({ text, worth: score.value });
  }
  const ranked = worths.map(({ worth }) => worth).sort((a, b) => b - a);
  const [high, next, low] = [ranked[0], ranked[1], ranked[ranked.length - 1]];
  if ((high - next) * persona.statements.length < leastLead) return null;
  // Scores are close together for a long document. Only their order is taught, so the best line gets 1 and the worst 0.
  return { ask, answers: worths.map(({ text, worth }) => ({ text, worth: (worth - low) / (high - low) })) };
}

function rowsOf(
  { ask, answers }: QuizQuestion,
  system: string,
): { readonly pairs: readonly PreferenceRow[]; readonly imitation: ImitationRow } {
  const prompt = [
    { role: 'system' as const, content: system },
    { role: 'user' as const, content: ask },
  ];
  const answerMessages = (content: string) => [{ role: 'assistant' as const, content }];
  const [best, ...rest] = [...answers].sort((a, b) => b.worth - a.worth);
  const from = hash([ask]).slice(0, 12);
  return {
    pairs: rest
      .filter(({ worth }) => worth < best.worth)
      .map(({ text }) => ({ prompt, chosen: answerMessages(best.text), rejected: answerMessages(text), from })),
    imitation: { prompt, completion: answerMessages(best.text), from },
  };
}
