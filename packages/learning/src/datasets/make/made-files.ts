/** @file Writes a pipeline's output: rows, a card for people and for machines, and finally a manifest. */

import { basename, extname } from 'node:path';
import type { Json, JsonObject } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { escapeMarkdown } from '@ludus-agents/kernel/internal/core/printable';
import { writeFileAtomicSync } from '@ludus-agents/store/internal/files/atomic-file';
import { manifestPath, writeManifest } from '@ludus-agents/store/internal/files/manifest';
import type { MadeItem, Pipeline } from '../../pipelines/pipeline.ts';
import { madeFormats } from './made-formats.ts';

export interface MadeFacts {
  readonly pipeline: Pipeline;
  readonly source: string;
  readonly model: string;
  readonly judges: readonly string[];
  readonly seed: number;
  readonly format: string;
  readonly items: readonly MadeItem[];
  readonly attempts: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number | null;
  readonly version: string;
  readonly at: string;
}

/** Writes the rows next to their card and their manifest; returns the paths. */
export function writeMade(out: string, facts: MadeFacts): { readonly file: string; readonly cards: readonly string[] } {
  const row = madeFormats[facts.format];
  // Several probes may share the same original question, and a shuffle may leave its choices in their order.
  const rowsByInput = new Map<string, string>();
  for (const value of facts.items.flatMap((item) => [row(item)].flat())) {
    const text = JSON.stringify(value);
    const input = facts.format === 'cases' ? String(value['input']) : text;
    if (!rowsByInput.has(input)) rowsByInput.set(input, text);
  }
  const rows = [...rowsByInput.values()];
  const digest = writeFileAtomicSync(out, rows.map((text) => `${text}\n`).join(''));
  const bare = out.slice(0, out.length - extname(out).length);
  const card = cardOf(basename(out), facts);
  const cards = [`${bare}.card.md`, `${bare}.card.json`];
  writeFileAtomicSync(cards[0], cardWords(card));
  writeFileAtomicSync(cards[1], `${JSON.stringify(card, null, 2)}\n`);
  const files = [{ file: basename(out), ...digest, rows: rows.length }];
  writeManifest(manifestPath(out, false), { format: facts.format, files, counts: { items: facts.items.length, attempts: facts.attempts } });
  return { file: out, cards };
}

function cardOf(file: string, { pipeline, items, ...facts }: MadeFacts): JsonObject {
  const { name, about, source = 'not published', differs = 'nothing', proof } = pipeline;
  return {
    kind: 'ludus-made',
    file,
    rows: items.length,
    pipeline: { name, about, source, differs, proof },
    ...({ ...facts, refused: facts.refused } as Readonly<Record<string, Json>>),
  };
}

function cardWords(card: JsonObject): string {
  const pipeline = card['pipeline'] as Readonly<Record<string, string>>;
  const refused = Object.entries(card['refused'] as Readonly<Record<string, number>>);
  const cost = card['cost'] === null ? 'an unknown price' : `$${(card['cost'] as number).toFixed(4)}`;
  const lines = [
    `# ${escapeMarkdown(String(card['file']))}`,
    '',
    `${card['rows']} items: ${escapeMarkdown(pipeline['about'])}. Made by Ludus ${card['version']} on ${card['at']} in the format ${card['format']}.`,
    '',
    `- pipeline: ${escapeMarkdown(pipeline['name'])} (${escapeMarkdown(pipeline['source'])}); differs: ${escapeMarkdown(pipeline['differs'])}`,
    `- made from: ${escapeMarkdown(String(card['source']))}, seed ${card['seed']}`,
    `- written by: ${escapeMarkdown(String(card['model']))}, under the terms of its maker`,
    `- judged by: ${escapeMarkdown((card['judges'] as readonly string[]).join(', '))}`,
    `- proof: ${escapeMarkdown(pipeline['proof'])}`,
    `- took ${card['calls']} calls and ${card['tokens']} tokens for ${cost}, in ${card['attempts']} attempts`,
    '',
    refused.length === 0 ? 'Nothing was refused.' : '## Refused',
    '',
    ...refused.map(([why, times]) => `- ${times} × ${escapeMarkdown(why)}`),
  ];
  return `${lines.join('\n').replace(linear(/\n*$/), '')}\n`;
}
