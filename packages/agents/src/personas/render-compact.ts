/**
 * @file A persona for a small model: identity first, in the second person, in 100 to 250 tokens.
 *
 * The most informative parts are added, best first, until the space is used up: work and place, goals, speech style, facts, and topics to
 * avoid. Private facts are left out unless the caller allows them, because a small model reveals whatever it reads.
 */

import { sha256 } from '@ludus-agents/kernel/internal/core/index';
import { defaultUser, expandMacros } from './lore/macros.ts';
import type { Persona } from './persona.ts';
import { spokenStatements, statementLine } from './prose.ts';
import type { Section } from './render.ts';

export interface CompactOptions {
  readonly user?: string;
  /** The token limit, and the caller's token counter. */
  readonly tokens?: { readonly most: number; readonly count: (text: string) => number };
  /** Whether the prompt may contain the persona's secrets. */
  readonly secrets?: boolean;
}

const usual = { most: 230, count: (text: string) => Math.ceil(text.length / 4) };

export function renderCompact(persona: Persona, options: CompactOptions = {}): readonly Section[] {
  const { name, identity, goals, voice, policy, secrets } = persona;
  const { tokens = usual } = options;
  const work = identity.social.occupation;
  const about = [
    `You are ${name}${identity.social.age === undefined ? '' : `, ${identity.social.age} years old`}.`,
    ...(work === undefined ? [] : [`You are ${article(work.title)}${work.organization ? ` at ${work.organization}` : ''}.`]),
  ].join(' ');
  const goal = goals
    .filter(({ visibility }) => options.secrets === true || visibility === 'public')
    .sort((a, b) => b.priority - a.priority)[0];
  const facts = spokenStatements(persona).filter(
    ({ kind, polarity, visibility }) => kind !== 'style' && polarity === 'must' && visibility === 'public',
  );
  const style = spokenStatements(persona).find(({ kind }) => kind === 'style');
  const examples = voice.examples.flatMap(({ turns }) => turns.filter(({ speaker, speech }) => speaker === 'char' && speech !== ''));
  const parts: readonly string[] = [
    ...(policy.scenario ? [policy.scenario] : []),
    ...(goal === undefined ? [] : [`You want: ${goal.text}`]),
    ...(voice.register ? [`You speak like this: ${voice.register}`] : style === undefined ? [] : [statementLine(style)]),
    ...(voice.lexicon.use.length === 0 ? [] : [`Words you like: ${voice.lexicon.use.slice(0, 4).join(', ')}.`]),
    ...facts.slice(0, 3).map((fact) => statementLine(fact)),
    ...(options.secrets === true ? secrets.map(({ text }) => `Your secret, which you tell nobody: ${text}`) : []),
    ...examples.slice(0, 1).map(({ speech }) => `You once said: "${speech}"`),
    ...persona.knowledge.mustRefuse
      .slice(0, 2)
      .map(({ topic, manner }) => `You will not talk about ${topic}${manner ? `: ${manner}` : ''}.`),
    ...facts.slice(3, 8).map((fact) => statementLine(fact)),
    ...voice.quirks.slice(0, 2),
  ];
  const names = { char: persona.nickname || name, user: options.user ?? defaultUser, seed: 0, original: '' };
  const choice = [about];
  for (const part of parts) {
    const line = sentence(expandMacros(part, names));
    if (tokens.count([...choice, line].join('\n')) <= tokens.most) choice.push(line);
  }
  const text = choice.join('\n');
  return [{ bucket: 'B', name: 'identity', text, hash: sha256(text) }];
}

function article(title: string): string {
  return /^(?:an?|the)\s/i.test(title) ? title : `${/^[aeiou]/i.test(title) ? 'an' : 'a'} ${title}`;
}

function sentence(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return /[.!?"”’…]$/.test(line) ? line : `${line}.`;
}
