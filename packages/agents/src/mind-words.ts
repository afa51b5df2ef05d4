/**
 * @file Describes one turn of a team, a search, or an agent that looks ahead, in lines for people. Logs come from anywhere, so a mind can
 * have any shape.
 */

import { isObject, type Json, plainNumber, plainText } from '@ludus-agents/kernel/internal/core/index';

/** The speeches of a discussion, or the tried moves with their results; empty for other minds. */
export function mindLines(mind: Json | undefined): readonly string[] {
  if (!isObject(mind)) return [];
  if (mind['kind'] === 'guarded/1') return [...heldLines(mind['held']), ...mindLines(mind['base'])];
  if (mind['kind'] === 'team/1') return [...discussionLines(mind['discussion']), ...teamLines(mind)];
  if (mind['kind'] === 'mind/1')
    return [...foreseenLines(mind['foreseen']), ...ensembleLines(mind['ensemble']), ...editLines(mind), ...routeLines(mind['toolPlan'])];
  return mind['kind'] === 'search/1' ? searchLines(mind) : [];
}

/** The planned route through its tools. */
function routeLines(plan: Json | undefined): readonly string[] {
  if (!isObject(plan) || !Array.isArray(plan['route'])) return [];
  return [`route: ${plan['route'].map(plainText).join(', then ') || 'none'}`, ...countLines(plan['acted'])];
}

const ensembleTexts: Readonly<Record<string, string>> = {
  same: 'the answers with and without the role are the same',
  role: 'the answer in the role was preferred in both orders',
  neutral: 'the answer without the role was preferred in both orders',
  undecided: 'no order-independent preference; the answer in the role stands',
};

function ensembleLines(ensemble: Json | undefined): readonly string[] {
  const text = isObject(ensemble) ? ensembleTexts[String(ensemble['chosen'])] : undefined;
  return text === undefined ? [] : [text];
}

function heldLines(memory: Json | undefined): readonly string[] {
  if (!isObject(memory)) return [];
  const answer = typeof memory['answer'] === 'string' ? `: ${memory['answer'].replace(/\s+/g, ' ').slice(0, 200)}` : '';
  return [`blocked by “${plainText(memory['line'])}”${answer}`];
}

function foreseenLines(foreseen: Json | undefined): readonly string[] {
  if (!isObject(foreseen) || !Array.isArray(foreseen['moves'])) return [];
  const lines = foreseen['moves']
    .filter(isObject)
    .map(
      ({ move, next, by, value }) =>
        `${plainText(move)} → “${plainText(next)}” by ${by === 'rule' ? 'a rule' : 'the model'}, worth ${plainNumber(value).toFixed(2)}`,
    );
  const struck = Array.isArray(foreseen['struck']) ? foreseen['struck'].filter(isObject) : [];
  return [...lines, ...struck.map(({ situation, move }) => `no longer believed: when “${plainText(situation)}”, ${plainText(move)}`)];
}

/** The edit made before this turn. */
function editLines({ edits, turn }: { readonly [name: string]: Json }): readonly string[] {
  const last = Array.isArray(edits) ? edits.at(-1) : undefined;
  if (!isObject(last) || plainNumber(last['turn']) + 1 !== turn) return [];
  if (typeof last['add'] === 'string') return [`put into ${plainText(last['text'])}: ${last['add']}`];
  return typeof last['drop'] === 'string' ? [`taken out of ${plainText(last['text'])}: ${last['drop']}`] : ['left its texts as they are'];
}

function discussionLines(log: Json | undefined): readonly string[] {
  if (!Array.isArray(log)) return [];
  return log.flatMap((event: Json) => {
    if (!isObject(event) || event['kind'] !== 'action' || !isObject(event['action'])) return [];
    return [`${plainText(event['seat'])}: ${plainText(event['action']['text']).replace(/\s+/g, ' ')}`];
  });
}

const longestMemory = 400;

/** The memory of a team after this turn, and how often each of its mechanisms has acted so far. */
function teamLines({ memory, acted }: { readonly [name: string]: Json }): readonly string[] {
  const retainedEntries = isObject(memory) ? Object.entries(memory) : [];
  const remembered = retainedEntries.flatMap(([name, value]) => {
    const isBlank = value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
    return isBlank ? [] : [`remembers ${name}: ${memoryText(value).replace(/\s+/g, ' ').slice(0, longestMemory)}`];
  });
  return [...remembered, ...countLines(acted)];
}

/** A value as text: the entries of a list between bars, and fields as "name: value". */
function memoryText(value: Json): string {
  if (Array.isArray(value)) return value.map(memoryText).join(' | ');
  if (isObject(value))
    return Object.entries(value)
      .map(([name, field]) => `${name}: ${memoryText(field)}`)
      .join('; ');
  return String(value);
}

const mostMoves = 5;

function searchLines({ moves, dream, sheet, plan, reflections, acted, idle }: { readonly [name: string]: Json }): readonly string[] {
  if (!Array.isArray(moves)) return [];
  const tried = moves
    .filter(isObject)
    .sort((a, b) => plainNumber(b['visits']) - plainNumber(a['visits']) || plainNumber(b['value']) - plainNumber(a['value']));
  const moveNames = tried
    .slice(0, mostMoves)
    .map(({ move, visits, value }) => `${plainText(move)} ${plainNumber(value).toFixed(2)} (${plainNumber(visits)})`);
  const error = isObject(dream)
    ? [`the learned environment differs from the rules in ${(100 * plainNumber(dream['step'])).toFixed(0)}% of steps`]
    : [];
  if (isObject(sheet))
    error.push(
      `it is a learned environment: ${(100 * plainNumber(sheet['told'])).toFixed(0)}% of held-out real steps are predicted wrongly`,
    );
  const line = mainLine(tried[0]);
  const ahead = line.length < 2 ? [] : [`looked on: ${line.join(', ')}`];
  const more = [...planLines(plan), ...lessonLines(reflections), ...countLines(acted)];
  if (Array.isArray(idle) && idle.length > 0) more.push(`off without a judge or a base: ${idle.map(plainText).join(', ')}`);
  return moveNames.length === 0
    ? more
    : [`tried ${moveNames.join(', ')}${tried.length > mostMoves ? ' …' : ''}`, ...ahead, ...error, ...more];
}

function planLines(plan: Json | undefined): readonly string[] {
  if (!isObject(plan)) return [];
  const listOf = (value: Json | undefined) => (Array.isArray(value) ? value.map(plainText) : []);
  const [left, done] = [listOf(plan['left']), listOf(plan['done'])];
  return [`sub-tasks: ${[...done.map((task) => `${task} (done)`), ...left].join('; ')}`];
}

function lessonLines(reflections: Json | undefined): readonly string[] {
  const last = Array.isArray(reflections) ? reflections.at(-1) : undefined;
  return isObject(last) ? [`remembers: ${plainText(last['text'])}`] : [];
}

/** How often each mechanism has acted so far. */
function countLines(acted: Json | undefined): readonly string[] {
  const counts = isObject(acted) ? Object.entries(acted).map(([name, count]) => `${name} ${plainNumber(count)}`) : [];
  return counts.length === 0 ? [] : [`mechanisms so far: ${counts.join(', ')}`];
}

/** The most tried move, then the most tried reply, as far as the tree was stored. */
function mainLine(move: { readonly [name: string]: Json } | undefined): readonly string[] {
  if (move === undefined) return [];
  const after = Array.isArray(move['next']) ? (move['next'] as readonly Json[]).filter(isObject) : [];
  const next = after.sort((a, b) => plainNumber(b['visits']) - plainNumber(a['visits']))[0];
  const by = typeof move['by'] === 'string' ? `${move['by']} ` : '';
  return [`${by}${plainText(move['move'])}`, ...mainLine(next)];
}
