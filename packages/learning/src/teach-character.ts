/**
 * @file Lessons for a character from its own document: questions with lines of known worth, as preference pairs, as examples to imitate, and as
 * a game that a learner in this process plays. Part of the wordings is held out, so that what is learned is not the wording.
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
  /** Questions that were asked, before those that make no lesson were left out. */
  readonly asked: number;
  /** Lessons whose best line is the one that the document is for. */
  readonly asDocument: number;
}

export interface TeachOptions {
  readonly items?: number | undefined;
  readonly seed?: Seed | undefined;
  /** Values lines in place of the document's own answers: APC, by words or by a model. */
  readonly scorer?: Scorer | undefined;
  readonly signal?: AbortSignal | undefined;
}

const lines = { affirm: 'So it is.', deny: 'No, that is not so.', refuse: 'Of that I know nothing.' } as const;

/**
 * By how much the best line has to lead every other one, in statements. A scorer's value is a mean over all statements, so it says little by
 * itself; from half a statement on, one statement more likely than not is followed by the best line and not by the other.
 */
const leastLead = 0.5;

const inert = (text: string) => text.replace(/[[\]\n]+/g, ' ').trim();

/** The lines that may answer a probe, with 1 for the right one. */
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

/** What a line amounts to where it is said: a bare yes or no has no words that a scorer could hold against the statements. */
function meaningOf(text: string, { claim }: Probe, name: string): string {
  if (claim === undefined || text === lines.refuse) return text;
  const meant = text === lines.affirm ? claim : opposite(claim, name);
  // A character says "I": its name is in every statement, and would count as common to all of them.
  return meant === null ? text : meant.replaceAll(name, 'I');
}

/** Every third wording of what one part of the document is asked about, whatever is right there, is held out. */
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

/** The worth of each line by a scorer over a conversation of one question, from 0 to 1; null where no line leads all others by enough. */
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
  // Marks lie close together on a long document. What is taught is their order, so the best line is worth 1 and the worst 0.
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
