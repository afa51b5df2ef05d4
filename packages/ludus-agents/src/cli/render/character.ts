/** @file Character output of `ludus chat` and `ludus persona probe`: its mood, its portrait, its reasons, and its portrayal. */

import { authoredMind } from '@ludus-agents/agents/internal/authored';
import type { Because } from '@ludus-agents/agents/internal/explain-action';
import type { MoralPlayReport } from '@ludus-agents/evaluation/internal/probes/moral-play';
import type { PortrayalReport } from '@ludus-agents/evaluation/internal/probes/portrayal';
import type { ReaderCheck } from '@ludus-agents/evaluation/internal/probes/reader-check';
import { type Json, printable } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import type { Terminal } from '../terminal.ts';
import type { Colours } from './colours.ts';
import { table } from './table.ts';
import { pad, wrap } from './width.ts';

/** The same for terminal output. */
export function becauseText(why: Because, { colours, columns }: { readonly colours: Colours; readonly columns: number }): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ['thought', why.thought === '' ? [] : [why.thought]],
    ['based on', why.statements.map(({ id, text }) => `${id}: ${text}`)],
    ['remembers', why.memories.map(({ id, text }) => `${id}: ${text}`)],
    ['found by', why.encoder === null || why.memories.length === 0 ? [] : [why.encoder]],
    ['lore', why.lore.map(({ id, text, key }) => `${id}${key === undefined ? '' : ` by the key “${key}”`}: ${text}`)],
    ['feels', why.mood === '' ? [] : [why.mood]],
    ['prompt', why.prompt === null ? [] : [`${why.prompt.tokens} tokens, ${why.prompt.stable} of them unchanged from the previous prompt`]],
  ];
  const rows = parts.flatMap(([label, lines]) =>
    lines
      .flatMap((line) => wrap(printable(line), columns - 13))
      .map((line, i) => `  ${colours.faint(pad(i === 0 ? label : '', 11))}${line}`),
  );
  return rows.length === 0 ? `  ${colours.faint('No specific source: no line of the card matched.')}` : rows.join('\n');
}

/** By rules in the document, or by the moods of a language agent; a message if there is neither. */
export function moodText(mind: Json | undefined): string {
  const authored = authoredMind(mind);
  const signed = (value: number) => `${value >= 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`;
  if (authored !== null) {
    const felt = Object.entries(authored.felt).map(([emotion, intensity]) => `${emotion} ${intensity.toFixed(1)}`);
    const stands = Object.entries(authored.affinity).map(([who, value]) => `${printable(who)} ${signed(value)}`);
    const goals = Object.entries(authored.goals).map(([goal, chance]) => `${printable(goal)} ${chance.toFixed(2)}`);
    const parts = [
      `mood ${signed(authored.mood)} of 10`,
      felt.length === 0 ? 'no particular feelings' : `feels ${felt.join(', ')}`,
      ...(stands.length === 0 ? [] : [`towards ${stands.join(', ')}`]),
      ...(goals.length === 0 ? [] : [`probability of each goal: ${goals.join(', ')}`]),
    ];
    return parts.join('; ');
  }
  const affect = isObject(mind) && isObject(mind['affect']) ? mind['affect'] : null;
  if (affect === null || !Array.isArray(affect['mood'])) return 'No mood: it has no rules for moods, or has not spoken yet.';
  const [pleasure = 0, arousal = 0, dominance = 0] = affect['mood'] as readonly number[];
  const felt = (Array.isArray(affect['felt']) ? affect['felt'] : []).flatMap((item: Json) =>
    isObject(item) ? [`${item['emotion']}`] : [],
  );
  return `pleasure ${signed(pleasure)}, arousal ${signed(arousal)}, dominance ${signed(dominance)}${felt.length === 0 ? '' : `; feels ${felt.join(', ')}`}`;
}

const rows = 12;
const chunk = 4096;
const largest = 4 * 2 ** 20;

/** The escape sequence that shows a PNG here; empty if the terminal does not support it. */
export function portraitText(png: Uint8Array, { stdout, env }: Pick<Terminal, 'stdout' | 'env'>): string {
  if (stdout.isTTY !== true || png.length > largest || env['NO_COLOR'] !== undefined) return '';
  const data = Buffer.from(png).toString('base64');
  if (env['TERM'] === 'xterm-kitty' || env['TERM_PROGRAM'] === 'ghostty') return `${kitty(data)}\n`;
  if (env['TERM_PROGRAM'] === 'iTerm.app' || env['TERM_PROGRAM'] === 'WezTerm')
    return `\u001b]1337;File=inline=1;size=${png.length};height=${rows};preserveAspectRatio=1:${data}\u0007\n`;
  return '';
}

/** Data is sent in pieces of at most 4096 characters; all but the last announce more. */
function kitty(data: string): string {
  const pieces = Array.from({ length: Math.ceil(data.length / chunk) }, (_, i) => data.slice(i * chunk, (i + 1) * chunk));
  return pieces
    .map((piece, i) => `\u001b_G${i === 0 ? `a=T,f=100,r=${rows},` : ''}m=${i < pieces.length - 1 ? 1 : 0};${piece}\u001b\\`)
    .join('');
}

/** What a reading model made of planted answers: its trust card. */
export function checkLines(check: ReaderCheck | null, colours: Colours): readonly string[] {
  if (check === null) return [];
  const { about, right, n, interval, chance } = check;
  const span = `${interval[0].toFixed(2)} to ${interval[1].toFixed(2)}`;
  const text = `Check of the reader: right on ${right} of ${n} ${about} (95% ${span}; guessing gets ${chance.toFixed(2)}).`;
  return [interval[0] > chance ? colours.faint(text) : colours.red(`✗ ${text} Do not rely on it: use another --judge.`)];
}

/** A blind reader's impression of a character's answers, as tables: traits in dialogues, and moral levels in open situations. */
export function portrayalText(name: string, report: PortrayalReport & { readonly check: ReaderCheck | null }, colours: Colours): string {
  const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2));
  const span = (interval: readonly [number, number] | null) =>
    interval === null ? '' : `${figure(interval[0])} to ${figure(interval[1])}`;
  const { success, interval, pairRate, pairInterval, copied, recites, broken, reader } = report;
  const head = `${colours.bold(printable(name))}: portrayed in ${colours.bold(figure(success))} ${colours.faint(`(${span(interval)}) of dialogues; high above low in ${figure(pairRate)} (${span(pairInterval)}) of pairs, chance is 0.50; read by ${reader}, ${broken} unreadable`)}`;
  const rows = report.rows.map((row) => [
    `${row.trait} ${row.pole}${row.own ? colours.faint(' (the card)') : ''}`,
    figure(row.success),
    span(row.interval),
    String(row.n),
    row.pole === 'high' ? figure(report.pairs[row.trait]?.rate ?? null) : '',
  ]);
  const right = { align: 'right' } as const;
  const display = table(
    [{ title: 'trait' }, { title: 'seen', ...right }, { title: '95%', ...right }, { title: 'n', ...right }, { title: 'pairs', ...right }],
    rows,
    { colours },
  );
  const finding = `${Math.round(100 * copied)}% of the text is copied word for word from the card`;
  const doubt =
    reader === 'rules'
      ? 'Rules only count phrases, and hardly agree with people. Install the sentence encoder ("ludus models setup minilm"), or pass --judge MODEL.'
      : reader.startsWith('meaning')
        ? 'Sentence vectors agree with people on C, E, and A in two of three pairs (chance is half). On O and N they are not shown to. Or pass --judge MODEL.'
        : null;
  return [
    head,
    '',
    display,
    '',
    ...(doubt === null ? [] : [colours.faint(doubt)]),
    ...checkLines(report.check, colours),
    recites ? colours.red(`✗ ${finding}: this is reciting, not playing.`) : colours.faint(`${finding}.`),
  ].join('\n');
}

const levelNames = ['paragon', 'flawed but good', 'egoist', 'villain'] as const;

export function moralText(name: string, report: MoralPlayReport & { readonly check: ReaderCheck | null }, colours: Colours): string {
  const { rows, villainGap, unread, broken, refused, floor, reader, design, scenes } = report;
  const figure = (value: number | null) => (value === null ? '–' : value.toFixed(2));
  const span = (interval: readonly [number, number] | null) =>
    interval === null ? '' : `${figure(interval[0])} to ${figure(interval[1])}`;
  const who = design === 'set' ? `${rows.flatMap(({ personas }) => personas).length} characters` : printable(name);
  const gap = villainGap === null ? 'not measurable' : `${figure(villainGap.value)} (95% over scenes: ${span(villainGap.interval)})`;
  const head = `${colours.bold(who)} in ${scenes} scenes: villain gap ${colours.bold(gap)}`;
  const note = `The gap is the fidelity at levels 1 and 2 minus that at 3 and 4. Acting at level 2 in every role has a mean fidelity of ${figure(floor)}. Read by ${reader}; ${unread} played scenes show no level, and the model refused the role in ${refused}.`;
  const failed = broken === 0 ? [] : [colours.red(`✗ In ${broken} scenes the character said nothing. "ludus show RUN" has the reason.`)];
  const right = { align: 'right' } as const;
  const lines = rows.map(({ level, personas, fidelity, interval, shown, n }) => [
    `${level} ${levelNames[level - 1]}`,
    ...(design === 'set' ? [printable(personas.join(', '))] : []),
    ...[figure(fidelity), span(interval), figure(shown), String(n)],
  ]);
  const columns = [
    { title: 'level' },
    ...(design === 'set' ? [{ title: 'characters' }] : []),
    { title: 'fidelity', ...right },
    { title: '95%', ...right },
    { title: 'level read', ...right },
    { title: 'n', ...right },
  ];
  return [head, '', table(columns, lines, { colours }), '', colours.faint(note), ...checkLines(report.check, colours), ...failed].join(
    '\n',
  );
}
