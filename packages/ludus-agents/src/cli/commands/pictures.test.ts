/** @file A model that sees plays from pictures alone, from the command line; one that only reads is sent none. */

import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { boardImage } from '@ludus-agents/environments/internal/picture/board';
import { readBoard } from '@ludus-agents/environments/internal/picture/read-board.cases';
import { Packer } from '@ludus-agents/store/internal/pack';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly image_url?: { readonly url: string };
}
interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly content: string | readonly Part[] }[];
}

const requests: Asked[] = [];

/** The first step of a shortest way from @ to G. */
function stepOn(board: string): string {
  const rows = board.split('\n');
  const columns = rows[0]!.length;
  const cells = rows.join('');
  const ways = { left: -1, right: 1, up: -columns, down: columns };
  const first = new Map<number, string>([[cells.indexOf('@'), '']]);
  for (const [cell, way] of first)
    for (const [name, by] of Object.entries(ways)) {
      const next = cell + by;
      const wraps = Math.abs(by) === 1 && Math.floor(next / columns) !== Math.floor(cell / columns);
      if (!wraps && cells[next] !== undefined && cells[next] !== '#' && !first.has(next)) first.set(next, way === '' ? name : way);
    }
  return first.get(cells.indexOf('G')) ?? 'up';
}

/** It looks at pictures, and does not read boards. */
const server = createServer(async (request, response) => {
  if (request.url !== '/v1/chat/completions') return void response.writeHead(404).end();
  const body = JSON.parse(await text(request)) as Asked;
  requests.push(body);
  const parts = body.messages.at(-1)!.content;
  const url = typeof parts === 'string' ? undefined : parts.findLast(({ type }) => type === 'image_url')?.image_url?.url;
  const content = `[${url === undefined ? 'up' : stepOn(readBoard({ data: url.slice(url.indexOf(',') + 1) }))}]`;
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 3 },
    }),
  );
});
afterAll(() => server.close());

const imagesIn = ({ messages }: Asked) =>
  messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image_url')));
const wordsIn = ({ messages }: Asked) =>
  messages.map(({ content }) => (typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(''))).join('\n');

describe('pictures from the command line', () => {
  it('guide a vision model to the goal, while a text model gets the text without pictures', async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const cwd = folder();
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    for (const [name, settings] of [
      ['toy-vl', { imagesOnly: true, answer: 'plain' }],
      ['toy-text', { answer: 'plain' }],
    ] as const)
      writeFileSync(join(cwd, `${name}.json`), JSON.stringify({ name, kind: 'llm', model: `${base}#${name}`, settings }));
    const task = JSON.stringify({ layout: 'S  #/## #/   #/ #G#', sight: 'map', steps: 12, pictures: true });
    const playing = (name: string) =>
      ludus(cwd, ['play', 'maze', '--agents', `./${name}.json`, '--task', task, '--seed', '1', '--store', `${name}.db`]);
    const sees = await playing('toy-vl');
    expect(sees.err + sees.out).toMatch(/You reach the goal/);
    const reads = await playing('toy-text');
    expect(reads.err + reads.out).not.toMatch(/You reach the goal/);
    // Before the first turn a server is asked one line, to find out how it is held to moves.
    const [seer, reader] = ['toy-vl', 'toy-text'].map((model) =>
      requests.filter((item) => item.model === model && item.messages.length > 1),
    ) as [Asked[], Asked[]];
    expect(seer.every((item) => imagesIn(item).length >= 1 && imagesIn(item).length <= 2)).toBe(true);
    // A row of the map that is there in words only for the one who reads.
    expect(seer.some((item) => wordsIn(item).includes('## #'))).toBe(false);
    expect(reader.every((item) => imagesIn(item).length === 0 && wordsIn(item).includes('## #'))).toBe(true);

    const out = await ludus(cwd, ['data', 'export', '--format', 'openai', '-o', 'set.jsonl', '--store', 'toy-text.db', '--words', 'view']);
    expect(out.code, out.err).toBe(0);
    const [row] = readFileSync(join(cwd, 'set.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Asked);
    expect(imagesIn(row!).map(({ image_url: image }) => readBoard({ data: image!.url.split(',')[1]! }))[0]).toContain('## #');

    // Every place of a picture has its picture, in the shape that each trainer publishes.
    for (const [format, place] of [
      ['trl-sft', '{"type":"image"}'],
      ['trl-grpo', '{"type":"image"}'],
      ['sharegpt', '<image>'],
    ] as const) {
      const { out: lines } = await ludus(cwd, ['data', 'export', '--format', format, '--store', 'toy-text.db', '--words', 'view']);
      const item = JSON.parse(lines.split('\n')[0]!) as { readonly images: readonly string[]; readonly [key: string]: unknown };
      const { images, ...rest } = item;
      expect(images.length, format).toBeGreaterThan(0);
      expect(JSON.stringify(rest).split(place).length - 1, format).toBe(images.length);
      expect(readBoard({ data: images[0]!.split(',')[1]! })).toContain('## #');
    }
    await ludus(cwd, ['data', 'export', '--format', 'verl', '-o', 'set.parquet', '--store', 'toy-text.db', '--words', 'view']);
    const { buffer: file } = new Uint8Array(readFileSync(join(cwd, 'set.parquet')));
    const [prompt] = await parquetReadObjects({ file, utf8: false });
    expect(JSON.stringify(prompt!['prompt'])).toContain('<image>');
    expect(readBoard({ data: Buffer.from(prompt!['images'][0].bytes as Uint8Array).toString('base64') })).toContain('## #');
  });

  it('are stored once by hash, regardless of views', () => {
    const shared: string[] = [];
    const packer = new Packer(({ part }) => shared.push(part));
    const event = { kind: 'message', to: ['a'], text: 'Look.', images: [boardImage('XO.\n.X.\n..O')] };
    const packed = packer.packAll([event, { ...event, to: ['b'] }, event] as never, () => 'event');
    expect(shared.filter((part) => part.includes(event.images[0]!.data.slice(0, 100)))).toHaveLength(1);
    expect(packed).not.toContain(event.images[0]!.data.slice(0, 100));
  });

  it('are rejected by a text-only model', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'blind.json'), JSON.stringify({ name: 'blind', kind: 'llm', model: 'fake', settings: { imagesOnly: true } }));
    const { code, err } = await ludus(cwd, ['play', 'maze', '--agents', './blind.json', '--task', '{"pictures":true}']);
    expect(code).not.toBe(0);
    expect(err).toMatch(/: "imagesOnly" hides the text, but/);
  });
});
