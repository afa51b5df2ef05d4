/** @file Scripted personas, so that everything plays offline: they say the lines that are written on their cards. */

import { type Agent, type AnyEnvironment, type Script, scripted, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { expandMacros, type Persona, type Statement, sentences } from './index.ts';

/**
 * A character of a scene: greets in its own words, then works on its goal as the environment's own script does, and otherwise says its
 * lines.
 */
export function createScriptedPersona(environment: AnyEnvironment, persona: Persona, company: Company = {}): Agent {
  const own = environment.scripts?.['character'] as Script;
  const names = { char: persona.nickname || persona.name, user: company.user ?? 'the other' };
  const { greetings, groupGreetings } = persona.voice;
  const first = company.group === true && groupGreetings.length > 0 ? groupGreetings : greetings;
  const [greeting, ...lines] = [...first.slice(0, 1), ...spokenLines(persona)].map((line) => expandMacros(line, names));
  const agent = scripted(`${persona.name} (script)`, (turn: Turn) => {
    const acted = turn.view.seen.flatMap((item) => (item.kind === 'action' ? [item.action.text] : []));
    if (acted.length === 0 && greeting !== undefined) return { text: speech(greeting) };
    const answer = own(turn);
    if ('action' in answer || answer.text !== '[none]') return answer;
    const next = lines.map(speech).find((line) => !acted.includes(line));
    return next === undefined ? answer : { text: next };
  });
  return { ...agent, persona: persona.hash };
}

/** Whom a character meets: what {{user}} stands for, and whether more than one other may be there. */
export interface Company {
  readonly user?: string;
  /** Greetings that a card keeps for groups come first. */
  readonly group?: boolean;
}

function speech(text: string): string {
  return `[speak "${text
    .replace(/["“”„]/g, '’')
    .replace(/[[\]]/g, '')
    .replace(/\s+/g, ' ')}"]`;
}

/** What the persona has said before, by the examples on the card, then what it wrote, sentence by sentence. */
function spokenLines({ voice }: Persona): string[] {
  const examples = voice.examples.flatMap(({ turns }) =>
    turns.flatMap(({ speaker, speech: said }) => (speaker === 'char' && said !== '' ? [said] : [])),
  );
  return [...examples, ...voice.posts.flatMap(sentences)];
}

/** What a persona can say in a conversation without a model: its examples, then what is true of it and may be known. */
export function linesFor(persona: Persona): readonly { readonly id: string; readonly cue: string; readonly says: string }[] {
  const examples = persona.voice.examples.flatMap(({ id, turns }) =>
    turns.flatMap(({ speaker, speech: said }, i) =>
      speaker === 'char' && said !== '' ? [{ id, cue: turns[i - 1]?.speech ?? '', says: said }] : [],
    ),
  );
  const facts = persona.statements
    .filter(({ visibility, polarity, kind }) => visibility === 'public' && polarity === 'must' && kind !== 'style')
    .map((statement) => ({ id: statement.id, cue: (statement.keys ?? []).join(' '), says: firstPerson(statement, persona) }));
  const wishes = persona.goals
    .filter(({ visibility }) => visibility === 'public')
    .map(({ id, text }) => ({ id, cue: 'want wish hope goal', says: `What I want? ${text}` }));
  return [...examples, ...facts, ...wishes];
}

/** Statements name the persona; a script has no grammar to turn them round, so it quotes them. */
function firstPerson({ text }: Statement, { name }: Persona): string {
  return text.startsWith(`${name} `) ? `They say of me: ${text}` : text;
}
