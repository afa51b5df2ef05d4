/**
 * @file Renders a persona as the sections of a prompt, in a fixed order, each with its own hash: constant sections come first, so that they
 * can be cached.
 *
 * Buckets: A the environment and its rules, B the identity, C permanent lore, D permitted knowledge about others, G the final instruction.
 * E, F, and the rest of G (summary, history, memories, mood) belong to the agent. Texts for readers of a card (creator's notes, tags,
 * version) and tests of a persona (canaries) are never rendered.
 */

import { type Seed, sha256 } from '@ludus-agents/kernel/internal/core/index';
import { steadyLore } from './lore/activate.ts';
import { defaultUser, expandMacros } from './lore/macros.ts';
import type { ExampleTurn, Goal, Knowledge, Persona, Secret, Statement, Voice } from './persona.ts';
import { contextLines, personalLines, relationLine, socialLines, spokenStatements, statementLine } from './prose.ts';
import { type VisibilityLevel, visibleTo } from './visibility.ts';

export type Bucket = 'A' | 'B' | 'C' | 'D' | 'G';

export interface Section {
  readonly bucket: Bucket;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text. */
  readonly hash: string;
}

export interface RenderOptions {
  /** Omits lorebook entries that belong to a depth of the history, for callers that place them there. */
  readonly depthApart?: boolean;
  /** The replacement of {{user}}: the persona's conversation partner. */
  readonly user?: string;
  readonly seed?: Seed;
  /** The replacement of {{original}} in a persona's own system text. */
  readonly original?: string;
  /** The others in the scene, each visible at the level given here or defined by their own relations. */
  readonly others?: readonly { readonly persona: Persona; readonly level?: VisibilityLevel }[];
  /** Writes each statement's id before it, so that an answer can refer to it. */
  readonly ids?: boolean;
}

/** All sections of a persona, for its own seat only. */
export function renderPersona(persona: Persona, options: RenderOptions = {}): readonly Section[] {
  const { policy } = persona;
  const markedLine = (statement: Statement) => (options.ids ? `[${statement.id}] ` : '') + statementLine(statement);
  const statementLines = (style: boolean) =>
    spokenStatements(persona)
      .filter((statement) => (statement.kind === 'style') === style)
      .map(markedLine);
  const raw: readonly (readonly [Bucket, string, string])[] = [
    ['A', 'system', policy.system ?? ''],
    ['A', 'scenario', policy.scenario ?? ''],
    ['B', 'identity', [`You are ${persona.name}.`, ...calledLines(persona), ...selfLines(persona)].join('\n')],
    ['B', 'statements', titledLines(`What is true of ${persona.name}`, statementLines(false))],
    ['B', 'relations', titledLines('People you know', persona.relations.map(relationLine))],
    ['B', 'knowledge', titledLines('What you know and do not know', knowledgeLines(persona.knowledge))],
    [
      'B',
      'goals',
      titledLines(
        'What you want',
        [...persona.goals].sort(byPriority).map((goal) => goal.text),
      ),
    ],
    ['B', 'secrets', titledLines('What you keep secret', persona.secrets.map(secretText))],
    ['B', 'voice', titledLines('How you speak', [...voiceLines(persona.voice), ...statementLines(true)])],
    ['B', 'examples', exampleText(persona)],
    [
      'C',
      'lore',
      steadyLore(persona.lore)
        .filter(({ place }) => options.depthApart !== true || place !== 'depth')
        .map((lore) => lore.text)
        .join('\n\n'),
    ],
  ];
  const names = {
    char: persona.nickname || persona.name,
    user: options.user ?? defaultUser,
    seed: options.seed ?? 0,
    original: options.original ?? '',
  };
  const sections = raw.map(([bucket, name, text]) => section(bucket, name, expandMacros(text, names)));
  // Two unknown strangers give the same sentence, which is written once.
  const others = [...new Set((options.others ?? []).map(({ persona: other, level }) => otherText(other, persona, level)))].join('\n\n');
  const last = section('G', 'reminder', expandMacros(policy.postHistory ?? '', names));
  return [...sections, section('D', 'others', others), last].filter(({ text }) => text.trim() !== '');
}

/** The sections of some buckets as one text. */
export function textOfBuckets(sections: readonly Section[], ...buckets: readonly Bucket[]): string {
  return sections
    .filter(({ bucket }) => buckets.includes(bucket))
    .map(({ text }) => text)
    .join('\n\n');
}

function section(bucket: Bucket, name: string, text: string): Section {
  return { bucket, name, text, hash: sha256(text) };
}

/** A persona's permitted knowledge of another, or the outline of a stranger. */
function otherText(other: Persona, viewer: Persona, level: VisibilityLevel | undefined): string {
  const { id, name, aliases } = viewer;
  const isViewer = (to: string) => to === id || to === name || aliases.includes(to);
  const view = visibleTo(other, { id, name, aliases, ...(level === undefined ? {} : { level }) });
  const lines = [
    ...(view.social === undefined ? [] : socialLines(view.social)),
    // Instructions for playing a persona are for its own seat only; facts about it may be public.
    ...spokenStatements(view)
      .filter(({ kind, polarity }) => kind !== 'style' && kind !== 'boundary' && polarity === 'must')
      .map(statementLine),
    ...view.relations
      .filter(({ text }) => text)
      .map((relation) => relationLine(isViewer(relation.to) ? { ...relation, to: 'You' } : relation)),
    ...view.goals.map((goal) => `Wants: ${goal.text}`),
  ];
  const who = view.name === undefined ? 'Somebody you do not know' : `What you know of ${view.name}`;
  const knownText = lines.length > 0 ? titledLines(who, lines) : `${who}${view.name === undefined ? '.' : ': only the name.'}`;
  const text =
    view.name === undefined ? knownText.replaceAll(`- ${other.name}`, '- This person').replaceAll(other.name, 'this person') : knownText;
  return expandMacros(text, { char: view.name ?? 'this person', user: viewer.nickname || name });
}

function calledLines({ nickname, aliases, pronouns }: Persona): readonly string[] {
  const also = [nickname, ...aliases].filter((name) => name);
  return [...(also.length > 0 ? [`Also called: ${also.join(', ')}`] : []), ...(pronouns ? [`Pronouns: ${pronouns}`] : [])];
}

function selfLines({ identity }: Persona): readonly string[] {
  return [...socialLines(identity.social), ...personalLines(identity), ...contextLines(identity)];
}

const unknownRules: Readonly<Record<Knowledge['onUnknown'], string>> = {
  admit: 'Asked about anything else you could not know, say that you do not know.',
  deflect: 'Asked about anything else you could not know, turn the talk to something else.',
  guess_in_character: 'Asked about anything else you could not know, guess as somebody like you would.',
};

function knowledgeLines({ horizon, knows, cannotKnow, mustRefuse, onUnknown }: Knowledge): readonly string[] {
  const until = [horizon?.date, horizon?.chapter, horizon?.event].filter((limit) => limit).join(', ');
  const lines = [
    ...(until ? [`Nothing after this has happened for you yet: ${until}`] : []),
    ...knows.map(
      ({ topic, depth }) => `You know ${topic} ${depth === 'name' ? 'by name only' : depth === 'basic' ? 'roughly' : 'thoroughly'}`,
    ),
    ...cannotKnow.map(({ topic, reason }) => `You do not know about ${topic}${reason ? ` (${reason})` : ''}`),
    ...mustRefuse.map(({ topic, manner }) => `You will not talk about ${topic}${manner ? `: ${manner}` : ''}`),
  ];
  return lines.length === 0 && onUnknown === 'admit' ? [] : [...lines, unknownRules[onUnknown]];
}

function secretText({ text, mayRevealTo, revealWhen }: Secret): string {
  const to = mayRevealTo.length > 0 ? ` You may tell ${mayRevealTo.join(', ')}.` : '';
  return `${text}${to}${revealWhen ? ` You tell it only when: ${revealWhen}` : ''}`;
}

function voiceLines({ register, sentenceLen, lexicon, quirks, languages }: Voice): readonly string[] {
  return [
    ...(register ? [register] : []),
    ...(sentenceLen ? [`At most ${sentenceLen.max} words a sentence`] : []),
    ...(languages.length > 0 ? [`Languages: ${languages.join(', ')}`] : []),
    ...(lexicon.use.length > 0 ? [`Words you like: ${lexicon.use.join(', ')}`] : []),
    ...(lexicon.avoid.length > 0 ? [`Words you never use: ${lexicon.avoid.join(', ')}`] : []),
    ...quirks,
  ];
}

function exampleText(persona: Persona): string {
  const { examples } = persona.voice;
  if (examples.length === 0) return '';
  const line = ({ speaker, speech, action, thought }: ExampleTurn) => {
    const who = speaker === 'char' || speaker === 'user' ? `{{${speaker}}}: ` : speaker === 'narrator' ? '' : `${speaker}: `;
    return who + [thought && `[${thought}]`, action && `(${action})`, speech].filter((part) => part).join(' ');
  };
  const blocks = examples.map(({ turns }) => turns.map(line).join('\n'));
  return ['How you have spoken before:', ...blocks].join('\n\n');
}

function byPriority(a: Goal, b: Goal): number {
  return b.priority - a.priority;
}

function titledLines(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}`;
}
