/** @file Datasets from the command line: every format to a folder and to a file, cards next to them, spans to a collector. */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { beforeAll, describe, expect, it } from 'vitest';
import { json, scriptedServer } from '../../../../../test/fixtures/scripted-server.ts';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const linesIn = (path: string) => readFileSync(join(here, path), 'utf8').trimEnd().split('\n');

beforeAll(async () => {
  const plan = JSON.stringify({
    name: 'base',
    environments: [{ environment: 'tic-tac-toe' }, { environment: 'bargain' }, { environment: 'kuhn-poker' }],
    seeds: 6,
    casts: [{ '*': 'random' }, { '*': 'llm:fake' }],
  });
  const { code, err } = await ludus(here, ['run', '-'], { typed: plan });
  expect(err).not.toContain('✗');
  expect(code).toBe(0);
  const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
  await store.note('base', 'metrics', 0, [
    { update: 1, loss: 0.5 },
    { update: 5, loss: 0.25 },
  ]);
  await store.close();
});

const split = ['--eval-share', '0.4', '--split-seed', '0'];

describe('ludus data export', () => {
  it.each(['openai', 'sharegpt', 'trl-sft', 'trl-grpo', 'trl-dpo', 'trl-kto', 'verl', 'parquet', 'atif', 'csv', 'inspect'])(
    '--format %s writes a dataset with a card',
    async (format) => {
      const { code, out } = await ludus(here, ['data', 'export', '--format', format, '-o', `sets/${format}`, '--json', ...split]);
      expect(code).toBe(0);
      const observation = JSON.parse(out) as { files: { path: string; rows: number }[]; cards: string[]; episodes: number };
      expect(observation.episodes).toBe(36);
      expect(observation.files.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(0);
      for (const { path, rows } of observation.files.filter((file) => file.path.endsWith('.jsonl') && file.rows > 0))
        expect(linesIn(join('sets', format, path))).toHaveLength(rows);
      const card = JSON.parse(readFileSync(join(here, 'sets', format, 'card.json'), 'utf8'));
      expect(card).toMatchObject({ format, episodes: 36, split: { by: 'task', evalShare: 0.4 } });
      expect(readFileSync(join(here, 'sets', format, 'README.md'), 'utf8')).toContain('## Licenses of the sources');
    },
  );

  it('keeps each task on the same side of the split in every format', async () => {
    const sides = (format: string, column: (row: { task: string }) => string) =>
      Object.fromEntries(
        ['train', 'eval'].flatMap((side) => {
          const path = `sets/${format}/data/${side}-00000-of-00001.jsonl`;
          return linesIn(path).map((line) => [column(JSON.parse(line)), side]);
        }),
      );
    const bySft = sides('trl-sft', ({ task }) => task);
    const byDpo = sides('trl-dpo', ({ task }) => task);
    expect(new Set(Object.values(bySft))).toEqual(new Set(['train', 'eval']));
    for (const [task, side] of Object.entries(byDpo)) expect(bySft[task]).toBe(side);
  });

  it('writes to the named file, with the split in the file names', async () => {
    await ludus(here, ['data', 'export', '--format', 'sharegpt', '-o', 'one.jsonl']);
    expect(linesIn('one.jsonl').every((line) => Array.isArray(JSON.parse(line).conversations))).toBe(true);
    expect(existsSync(join(here, 'one.card.md')) && existsSync(join(here, 'one.card.json'))).toBe(true);
    await ludus(here, ['data', 'export', '--format', 'parquet', '-o', 'two.parquet', ...split]);
    expect(
      readdirSync(here)
        .filter((name) => name.startsWith('two.') && name.endsWith('.parquet'))
        .sort(),
    ).toEqual(['two.episodes.eval.parquet', 'two.episodes.train.parquet', 'two.turns.eval.parquet', 'two.turns.train.parquet']);
  });

  it('replaces a dataset completely', async () => {
    await ludus(here, ['data', 'export', '--format', 'trl-sft', '-o', 'again', ...split]);
    expect(readdirSync(join(here, 'again', 'data'))).toHaveLength(2);
    await ludus(here, ['data', 'export', '--format', 'trl-sft', '-o', 'again']);
    expect(readdirSync(join(here, 'again', 'data'))).toEqual(['train-00000-of-00001.jsonl']);
  });

  it('streams to standard output with filters', async () => {
    const { out } = await ludus(here, [
      'data',
      'export',
      '--format',
      'openai',
      '--environment',
      'kuhn-poker',
      '--seat',
      'first',
      '--where',
      'return>0',
    ]);
    const rows = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows.length).toBeGreaterThan(0);
    for (const { reward, metadata } of rows)
      expect([metadata.seat, metadata.environment, reward > 0]).toEqual(['first', 'kuhn-poker@1', true]);
    const view = await ludus(here, ['data', 'export', '--format', 'openai', '--agent', 'llm:fake', '--words', 'view', '--limit', '3']);
    expect(
      view.out
        .trimEnd()
        .split('\n')
        .every((line) => JSON.parse(line).metadata.wording === 'view'),
    ).toBe(true);
  });

  it('leaves out conversations that repeat an earlier one', async () => {
    const place = folder();
    for (const typed of ['Do you drink?\n/quit\n', 'do you drink\n/quit\n', 'Have you no shame?\n/quit\n'])
      await ludus(place, ['chat', 'villain', '--seed', '1'], { typed });
    const counts: Record<string, unknown> = {};
    for (const flags of [[], ['--distinct']]) {
      const { out } = await ludus(place, ['data', 'export', '--format', 'sharegpt', '-o', `set${flags.length}`, '--json', ...flags]);
      const { episodes, left } = JSON.parse(out) as { episodes: number; left: Record<string, number> };
      counts[flags.join()] = [episodes, Object.values(left)];
    }
    expect(counts).toEqual({ '': [3, []], '--distinct': [2, [1]] });
  });

  it('sends spans to a collector with the headers from its variable', async () => {
    const collector = await scriptedServer(json(200, {}));
    const address = `${collector.url}/traces`;
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc' };
    const { code, out } = await ludus(here, ['data', 'export', '--format', 'otel', '-o', address, '--limit', '4', '--json'], { env });
    expect([code, JSON.parse(out).episodes]).toEqual([0, 4]);
    expect(collector.seen).toHaveLength(4);
    expect(collector.seen[0]).toMatchObject({ url: '/v1/traces', headers: { authorization: 'Basic abc' } });
    await collector.close();
    const gone = await ludus(here, ['data', 'export', '--format', 'otel', '-o', address]);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('). Is a collector running there?')]);
  });

  it('writes the metrics of a run for TensorBoard and for spreadsheets', async () => {
    const journal = await ludus(here, ['data', 'export', '--format', 'csv', '--run', 'base', '--journal', 'metrics']);
    expect(journal.out).toBe('update,loss\n1,0.5\n5,0.25\n');
    const { out } = await ludus(here, ['data', 'export', '--format', 'tensorboard', '--run', 'base', '-o', 'board', '--json']);
    expect(JSON.parse(out).steps).toBe(2);
    const bytes = readFileSync(join(here, 'board', 'events.out.tfevents.ludus'));
    expect(steps(bytes)).toBe(3);
    const played = await ludus(here, ['data', 'export', '--format', 'tensorboard', '-o', 'played', '--json']);
    expect(JSON.parse(played.out).steps).toBe(36);
  });

  it.each([
    [['--format', 'verl'], 'The format verl can only be written to files. Choose where with -o.'],
    [['--where', 'return'], '--where: expected a filter such as return>=1'],
    [['--eval-share', '2'], '--eval-share: expected a number from 0 to 1'],
    [['--format', 'openai', '--words', 'all'], '--words: expected calls or view, got "'],
    [['--format', 'openai', '--status', 'won'], '--status: expected some of'],
    [['--format', 'trl-dpo', '--pairs', 'odd'], '--pairs: expected extremes, neighbors, or all, got "'],
    [['--format', 'otel'], 'Expected an address for spans, such as http://localhost:4318/v1/traces, but'],
    [['--format', 'csv', '--journal', 'metrics'], 'A journal belongs to a run. Choose the run'],
    [['--format', 'csv', '--run', 'base', '--journal', 'x'], 'has no journal "x". Available: '],
    [['--seat', 'first'], '--seat is for datasets, but the format jsonl contains whole episodes'],
    [['--eval-share', '0.5'], '--eval-share is for datasets'],
    [['--format', 'openai', '-o', 'mine'], 'contains data that is not a Ludus dataset. Choose another folder.'],
    [['--format', 'openai', '-o', '/dev/null/x'], 'cannot be written'],
  ])('rejects %j with an explanation', async (words, sentence) => {
    mkdirSync(join(here, 'mine', 'data'), { recursive: true });
    writeFileSync(join(here, 'mine', 'data', 'own.csv'), 'a\n');
    const { code, err } = await ludus(here, ['data', 'export', ...words]);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('warns if all tasks fall on one side of the split', async () => {
    const { err } = await ludus(here, [
      'data',
      'export',
      '--format',
      'trl-sft',
      '--environment',
      'kuhn-poker',
      '-o',
      'lone',
      '--eval-share',
      '0.5',
    ]);
    expect(err).toContain('on one side of the split');
  });
});

/** Records of an event file: length, checksum, data, checksum. */
function steps(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; count++) at += 16 + Number(bytes.readBigUInt64LE(at));
  return count;
}
