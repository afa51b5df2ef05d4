/** @file Renders a persona for the terminal: name and work, temper as bars, statements, goals, secrets, and voice. */

import { type Persona, type Statement, statementLine, traits, traitWords, visibleTo } from '@ludus-agents/agents/internal/personas/index';
import { printable } from '@ludus-agents/kernel/internal/core/index';
import type { Colours } from './colours.ts';
import { pad, width, wrap } from './width.ts';

export interface CardOptions {
  readonly colours: Colours;
  readonly columns: number;
  /** Everything, or only what a stranger may see. */
  readonly open: boolean;
}

type Part = readonly [label: string, lines: readonly string[]];

/** Labels on the left, lines on the right; empty parts are omitted. */
export function card(persona: Persona, options: CardOptions): string {
  const { colours, columns } = options;
  const parts = partsOf(persona, options).filter(([, lines]) => lines.length > 0);
  const margin = Math.max(...parts.map(([label]) => label.length)) + 2;
  const room = Math.max(24, columns - margin);
  const rows = parts.flatMap(([label, lines]) =>
    lines
      .flatMap((line) => (width(line) <= room ? [line] : wrap(line, room)))
      .map((line, i) => `${colours.faint(pad(i === 0 ? label : '', margin))}${line}`.trimEnd()),
  );
  return [...heading(persona, options), '', ...rows].join('\n');
}

function heading(persona: Persona, { colours, columns }: CardOptions): string[] {
  const { name, nickname, pronouns, identity } = persona;
  const { age, occupation, residence } = identity.social;
  const called = nickname === undefined || nickname === '' ? '' : ` “${printable(nickname)}”`;
  const facts = [
    pronouns,
    age === undefined ? undefined : String(age),
    occupation === undefined ? undefined : [occupation.title, occupation.organization].filter((part) => part).join(', '),
    residence,
  ].filter((fact) => fact !== undefined && fact !== '');
  return [
    `${colours.bold(printable(name))}${called}`,
    ...(facts.length === 0 ? [] : wrap(printable(facts.join(' · ')), columns)),
    colours.faint(printable(`${persona.kind} · ${persona.id} ${persona.version} · ${persona.hash.slice(0, 12)}`)),
  ];
}

function partsOf(persona: Persona, { colours, open }: CardOptions): readonly Part[] {
  const { identity, voice, knowledge } = persona;
  const { personal, context } = identity;
  const visible = open ? persona : visibleTo(persona, {});
  const toPrintable = (texts: readonly string[]) => texts.map(printable);
  const bullets = (texts: readonly string[]) => toPrintable(texts).map((text) => `· ${text}`);
  const spoken = visible.statements.filter(({ source }) => source?.startsWith('persona#/identity/') !== true);
  const scene = persona.policy.scenario;
  return [
    ['scene', scene === undefined || scene === '' ? [] : toPrintable([scene])],
    ['is', open && personal.summary !== undefined ? toPrintable([personal.summary]) : []],
    ['type', open && personal.mbti !== undefined ? toPrintable([personal.mbti]) : []],
    ['values', open ? toPrintable(valueLines(personal.values)) : []],
    ['temper', open ? bars(persona, colours) : []],
    ['moral', open ? toPrintable(moralLines(personal.moral)) : []],
    ['decides', open && personal.decisionStyle !== undefined ? toPrintable([personal.decisionStyle]) : []],
    ['likes', open ? toPrintable(joinList(context.likes)) : []],
    ['dislikes', open ? toPrintable(joinList(context.dislikes)) : []],
    ['can', open ? toPrintable(joinList(context.skills)) : []],
    ['is true', spoken.map((statement) => formatStatement(statement, open, colours))],
    [
      'wants',
      visible.goals.map(
        ({ text, visibility }) => `· ${printable(text)}${open && visibility === 'self' ? colours.faint(' (private)') : ''}`,
      ),
    ],
    ['hides', open ? persona.secrets.map(({ text, severity }) => `· ${printable(text)} ${colours.red('!'.repeat(severity))}`) : []],
    ['knows', open ? bullets(knowledge.knows.map(({ topic, depth }) => `${topic} (${depth})`)) : []],
    ['cannot know', open ? bullets(knowledge.cannotKnow.map(({ topic, reason }) => (reason === '' ? topic : `${topic}: ${reason}`))) : []],
    ['people', visible.relations.map(({ to, role, text }) => `· ${printable(`${to}, ${role}${text === undefined ? '' : `: ${text}`}`)}`)],
    ['sounds', toPrintable([voice.register ?? '', ...voice.quirks].filter((line) => line !== ''))],
    ['says', toPrintable(voice.greetings.slice(0, open ? undefined : 1)).map((text) => `“${text}”`)],
    ['to groups', open ? toPrintable(voice.groupGreetings).map((text) => `“${text}”`) : []],
    [
      'words',
      open ? toPrintable([listOf('uses', voice.lexicon.use), listOf('never', voice.lexicon.avoid)].filter((line) => line !== '')) : [],
    ],
    ['examples', open ? exampleLines(persona, colours) : []],
    ['lore', open ? loreLines(persona, colours) : []],
  ];
}

const names = { O: 'open', C: 'orderly', E: 'outgoing', A: 'warm', N: 'tense' } as const;

/** The Big Five as bars of ten, with descriptions. */
function bars({ identity }: Persona, colours: Colours): string[] {
  return traits.flatMap((trait) => {
    const level = identity.personal.bigFive?.[trait];
    if (level === undefined) return [];
    const full = Math.round(level.score / 10);
    const bar = `${colours.cyan('━'.repeat(full))}${colours.faint('─'.repeat(10 - full))}`;
    return [
      `${pad(names[trait], 8)} ${bar} ${pad(String(Math.round(level.score)), 3, 'right')}  ${colours.faint(traitWords(trait, level.score))}`,
    ];
  });
}

const levels = ['', 'a paragon', 'flawed but good', 'looks after number one', 'a villain'] as const;

function moralLines({ level, traits }: Persona['identity']['personal']['moral']): string[] {
  const line = [level === undefined ? '' : levels[level], traits.join(', ')].filter((part) => part !== '').join(': ');
  return line === '' ? [] : [line];
}

function joinList(items: readonly string[]): string[] {
  return items.length === 0 ? [] : [items.join(', ')];
}

function formatStatement(statement: Statement, open: boolean, colours: Colours): string {
  const gate = statement.visibility;
  const who =
    gate === 'public' || !open
      ? ''
      : gate === 'self'
        ? ' (private)'
        : 'min' in gate
          ? ` (${gate.min.replace('_', ' ')})`
          : ` (only ${gate.only.join(', ')})`;
  const never = statement.polarity === 'must_not';
  const text = printable(statementLine(statement).replace(/^It is never true that: /, 'never: '));
  return `· ${never ? colours.yellow(text) : text}${colours.faint(printable(who))}`;
}

function listOf(label: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${label}: ${items.join(', ')}`;
}

/** Values of high and of low importance. */
function valueLines(values: Persona['identity']['personal']['values']): string[] {
  const rated = Object.entries(values ?? {}).sort(([, a], [, b]) => b - a);
  return rated.length === 0 ? [] : [rated.map(([value, score]) => `${value.replace('_', '-')} ${score}`).join(', ')];
}

function exampleLines({ name, voice }: Persona, colours: Colours): string[] {
  return voice.examples.flatMap(({ turns }) =>
    turns.map(({ speaker, speech, action }) => {
      const who = speaker === 'char' ? name : speaker === 'user' ? 'somebody' : speaker;
      const done = action === undefined || action === '' ? '' : ` (${action})`;
      return `${colours.faint(printable(`${who}:`))} ${printable(`${speech}${done}`)}`;
    }),
  );
}

/** The lorebook entries: when each is shown, and its first words. */
function loreLines({ lore }: Persona, colours: Colours): string[] {
  return lore.entries.map(({ keys, content, constant, enabled, use_regex: regex }) => {
    const when = constant === true ? 'always' : keys.length === 0 ? 'never' : `${regex === true ? 'by pattern ' : ''}${keys.join(', ')}`;
    return `· ${colours.cyan(printable(when))}${enabled ? '' : colours.faint(' (off)')}: ${printable(content)}`;
  });
}
