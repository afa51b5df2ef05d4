/** @file Readers: one that takes notes of everything it can be asked, one that searches its whole view, and one that has only the last part. */

import type { Reply, Script, Turn } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { textsOf } from '../exercise.ts';
import { colours, unknown } from './sessions.ts';

/** What was told, by its subject; visits and tokens in order. */
type Notes = { readonly facts: Readonly<Record<string, string>>; readonly visits: readonly string[]; readonly tokens: readonly string[] };

const empty: Notes = { facts: {}, visits: [], tokens: [] };

function addNotes(notes: Notes, text: string): Notes {
  const facts: Record<string, string> = { ...notes.facts };
  const visits = [...notes.visits];
  const tokens = [...notes.tokens];
  for (const sentence of text.split(/(?<=\.)\s+|\n/)) {
    const fact =
      /^The (keeper) of the (.+) is (\w+)\.$/.exec(sentence) ??
      /^(?:The|From now on the) (sign) at the (.+) shows a (\w+)\.$/.exec(sentence) ??
      /^The (code) of the (.+) is (\w+)\.$/.exec(sentence);
    if (fact !== null) facts[`${fact[1]} ${fact[2]}`] = fact[3];
    const forget = /^Forget the code of the (.+)\.$/.exec(sentence);
    if (forget !== null) delete facts[`code ${forget[1]}`];
    const visit = /^(\w+) comes to the (.+)\.$/.exec(sentence);
    if (visit !== null) visits.push(`${visit[1]} ${visit[2]}`);
    const token = /^A token that is (\w+) and (\w+) goes (\w+)\.$/.exec(sentence);
    if (token !== null) tokens.push(`${token[1]} ${token[2]} ${token[3]}`);
  }
  return { facts, visits, tokens };
}

function answerFrom({ facts, visits, tokens }: Notes, question: string): string {
  const match = linear(/keeper of the (.+)\?/).exec(question);
  if (match !== null) return facts[`keeper ${match[1]}`] ?? unknown;
  const sign = linear(/sign at the (.+) show now/).exec(question);
  if (sign !== null) return facts[`sign ${sign[1]}`] ?? unknown;
  const code = linear(/code of the (.+)\?/).exec(question);
  if (code !== null) return facts[`code ${code[1]}`] ?? unknown;
  const count = linear(/How often did (\w+) come to the (.+) in all/).exec(question);
  if (count !== null) return String(visits.filter((visit) => visit === `${count[1]} ${count[2]}`).length);
  const first = linear(/Who came to the (.+) before/).exec(question);
  if (first !== null) return visits.find((visit) => visit.endsWith(` ${first[1]}`))?.split(' ')[0] ?? unknown;
  const token = linear(/token go that is (\w+) and (\w+)/).exec(question)!;
  return groupOf(tokens, token[1], token[2]);
}

/** The feature that decides is the one whose every value goes one way alone. */
function groupOf(tokens: readonly string[], colour: string, shape: string): string {
  const examples = tokens.map((token) => token.split(' ') as [string, string, string]);
  const byColour = colours.every((colour) => new Set(examples.flatMap(([c, , group]) => (c === colour ? [group] : []))).size <= 1);
  return examples.find(([c, s]) => (byColour ? c === colour : s === shape))?.[2] ?? unknown;
}

/** The answer to a question if it can be given, else any that is listed. */
function reply({ ask, rng }: Turn, answer: string): { readonly text: string } {
  const wanted = `[answer ${answer}]`;
  return { text: ask.choices?.includes(wanted) === true ? wanted : rng.pick(ask.choices as readonly string[]) };
}

/** What was read, without the lists of moves that a task may ask for. */
const textsRead = ({ view }: Turn) => textsOf(view).filter((text) => !text.startsWith('Legal moves: '));

const isQuestion = (text: string) => /^Question \d+ of \d+: /.test(text);

/** Reads every part once and keeps what it may need in its mind: a window of one message is enough. */
const notes: Script = (turn): Reply => {
  const text = textsRead(turn).at(-1) ?? '';
  const before = (turn.mind ?? empty) as Notes;
  if (isQuestion(text)) return { action: reply(turn, answerFrom(before, text)), mind: before };
  return { action: { text: '[next]' }, mind: addNotes(before, text) };
};

/** Finds the last sentence of its view that shares most words with the question: right for single facts, not for counts and order. */
const search: Script = (turn) => {
  const texts = textsRead(turn);
  const question = texts.at(-1) ?? '';
  if (!isQuestion(question)) return { text: '[next]' };
  const wanted = new Set(question.toLowerCase().match(/\w+/g));
  const sentences = texts.filter((text) => !isQuestion(text)).flatMap((text) => text.split(/(?<=\.)\s+|\n/));
  let [best, most] = ['', 0];
  for (const sentence of sentences) {
    const shared = (sentence.toLowerCase().match(/\w+/g) ?? []).filter((word) => wanted.has(word)).length;
    if (shared >= most) [best, most] = [sentence, shared];
  }
  const choice = turn.ask.choices?.find((choice) => best.match(/\w+/g)?.includes(choice.slice('[answer '.length, -1)));
  return reply(turn, choice?.slice('[answer '.length, -1) ?? unknown);
};

/** Knows the last part that it read, and nothing before. */
const lastPart: Script = (turn): Reply => {
  const text = textsRead(turn).at(-1) ?? '';
  const before = (turn.mind ?? empty) as Notes;
  if (isQuestion(text)) return { action: reply(turn, answerFrom(before, text)), mind: before };
  return { action: { text: '[next]' }, mind: addNotes(empty, text) };
};

export const scripts: Readonly<Record<string, Script>> = { notes, search, 'last-part': lastPart };
